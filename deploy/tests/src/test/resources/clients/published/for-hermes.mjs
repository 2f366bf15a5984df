// Rewrites a package's modules as Metro's Babel does for React Native's engine Hermes. Regular expressions stay as they are: not
// every app's Babel replaces what Hermes lacks there.
import {transformFileSync} from '@babel/core';
import reactNative from '@react-native/babel-preset';
import unicode from '@babel/plugin-transform-unicode-regex';
import {readdirSync, writeFileSync} from 'node:fs';

const [from, to] = process.argv.slice(2);
const preset = (babel) => {
  const {overrides} = reactNative(babel, {unstable_transformProfile: 'hermes-stable', enableBabelRuntime: false});
  const isKept = (plugin) => [plugin].flat()[0] !== unicode;
  return {overrides: overrides.map((one) => ({...one, plugins: one.plugins.filter(isKept)}))};
};
for (const file of readdirSync(from).filter((name) => name.endsWith('.js'))) {
  writeFileSync(`${to}/${file}`, transformFileSync(`${from}/${file}`, {presets: [preset], babelrc: false, configFile: false}).code);
}
