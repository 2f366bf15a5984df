// For deploy/local/up: makes three posts, then builds the page and serves it.
import {connect} from 'node:net';
import {Firestore} from '@google-cloud/firestore';
import {context} from 'esbuild';

const ALREADY_EXISTS = 6;
const TITLES = {first: 'Shards, and how many', second: 'One document, many readers', third: 'Events come twice'};

process.env.FIRESTORE_EMULATOR_HOST ??= '127.0.0.1:8080';
const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
await listens().catch(({code}) => {
  console.error(`expected the Firestore emulator at ${host}:${port}, found ${code}: start it with deploy/clients/examples/likes/up`);
  process.exit(1);
});
const posts = new Firestore({projectId: 'demo-tallyroll'}).collection('posts');
for (const [id, title] of Object.entries(TITLES)) {
  // A query that sorts by a field does not find a post without it.
  await posts.doc(id).create({title, author: 'alice', likes: 0, ratings: 0, stars_average: 0}).catch((failure) => {
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

/** Firestore's client would try for long. */
function listens() {
  return new Promise((done, fail) => {
    const tried = connect({host, port: Number(port), timeout: 3000}, () => done(tried.end()));
    tried.on('error', fail);
    tried.on('timeout', () => fail({code: 'no answer'}));
  });
}
