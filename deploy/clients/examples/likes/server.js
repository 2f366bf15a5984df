// For deploy/local/up: makes three posts, as a server of yours would, then builds the page and serves it.
import {Firestore} from '@google-cloud/firestore';
import {context} from 'esbuild';
import {Counters} from 'tallyroll/node';

const ALREADY_EXISTS = 6;
const TITLES = {first: 'Shards, and how many', second: 'One document, many readers', third: 'Events come twice'};

process.env.FIRESTORE_EMULATOR_HOST ??= '127.0.0.1:8080';
const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
const posts = new Counters(new Firestore({projectId: 'demo-tallyroll'}), {counters: 'posts'});
for (const [id, title] of Object.entries(TITLES)) {
  await posts.counter(id).create(10, {title, author: 'alice'}).catch((failure) => {
    if (failure.code !== ALREADY_EXISTS) {
      throw failure;
    }
  });
}

const page = await context({
  entryPoints: ['page.js'], outdir: 'target', bundle: true, format: 'esm', sourcemap: true,
  define: {EMULATOR: JSON.stringify([host, Number(port)])}, // null for your project
});
const served = await page.serve({servedir: '.', host: '127.0.0.1', port: Number(process.env.PORT ?? 8000)});
console.log(`page: http://127.0.0.1:${served.port}/`);
