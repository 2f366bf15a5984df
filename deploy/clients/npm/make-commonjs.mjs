// Writes the modules and their types as CommonJS below cjs, for the package.
import {cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';

mkdirSync('cjs', {recursive: true});
writeFileSync('cjs/package.json', '{"type": "commonjs"}\n');
for (const file of readdirSync('.')) {
  if (file.endsWith('.d.ts')) {
    cpSync(file, `cjs/${file}`);
  } else if (file.endsWith('.js')) {
    writeFileSync(`cjs/${file}`, commonJs(readFileSync(file, 'utf8')));
  }
}

function commonJs(module) {
  const names = [...module.matchAll(/^export (?:async )?(?:class|const|function) (\w+)/gm)].map(([, name]) => name);
  const text = module.replace(/^export /gm, '').replace(/^import (\{[^}]*\}) from ('[^']+');$/gm,
    (all, imported, from) => `const ${imported.replaceAll(' as ', ': ')} = require(${from});`);
  if (/^(import|export)\b/m.test(text)) {
    throw new Error(`expected only import {...} and export of a class, const or function, found others in: ${text}`);
  }
  return `'use strict';\n${text}\nmodule.exports = {${names.join(', ')}};\n`;
}
