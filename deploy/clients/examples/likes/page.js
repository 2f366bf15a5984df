// Posts, the most liked ones first. A click shows at once, before the total has it.
import {initializeApp} from 'firebase/app';
import {getAuth, signInAnonymously} from 'firebase/auth';
import {
  collection, connectFirestoreEmulator, doc, getFirestore, limit, onSnapshot, orderBy, query,
} from 'firebase/firestore';
import {Counters} from 'tallyroll/web';

const app = initializeApp({projectId: 'demo-tallyroll'}); // yours, with its apiKey
const db = getFirestore(app);
const uid = EMULATOR ? onEmulator() : (await signInAnonymously(getAuth(app))).user.uid;
const posts = new Counters(db, {counters: 'posts'}).withPass(uid, {once: true});
const list = document.querySelector('ol');
const items = new Map();

const mostLiked = query(collection(db, 'posts'), orderBy('likes', 'desc'), limit(20));
onSnapshot(mostLiked, (found) => {
  found.docs.forEach((post, place) => {
    const item = items.get(post.id) ?? newItem(post.id);
    item.show(post);
    // Only what has another place is moved, so a button keeps its focus.
    if (list.children[place] !== item.element) {
      list.insertBefore(item.element, list.children[place]);
    }
  });
  [...list.children].slice(found.size).forEach((element) => element.remove());
}, say);

function newItem(id) {
  const element = document.querySelector('template').content.firstElementChild.cloneNode(true);
  const [button, title] = element.children;
  let total = 0;
  let clicked = 0; // the number that the click showed, until a total is as high
  let liked = true; // until the server has said that there is no pass
  const draw = () => {
    button.textContent = `♥ ${Math.max(total, clicked)}`;
    button.disabled = liked || clicked > 0;
  };
  button.onclick = async () => {
    clicked = total + 1;
    draw();
    await posts.counter(id).add().catch((refused) => {
      clicked = 0;
      draw();
      say(refused);
    });
  };
  // The user's pass says that they have liked it, on whichever device.
  onSnapshot(doc(db, 'posts', id, 'passes', uid), {includeMetadataChanges: true}, (mine) => {
    if (mine.exists() || !mine.metadata.fromCache) {
      liked = mine.exists();
      draw();
    }
  }, say);
  const show = (post) => {
    total = post.get('likes');
    title.textContent = post.get('title');
    draw();
  };
  items.set(id, {element, show});
  return items.get(id);
}

function say(failure) {
  document.querySelector('[role=status]').textContent = failure.message;
}

/** For deploy/local/up, which has no Auth: the address may name the user, as in http://127.0.0.1:8000/#bob. */
function onEmulator() {
  const user = location.hash.slice(1) || 'alice';
  connectFirestoreEmulator(db, ...EMULATOR, {mockUserToken: {sub: user}});
  return user;
}
