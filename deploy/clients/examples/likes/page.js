// Posts, which people like and rate. A like and a rating are documents of theirs; the functions write their number and average into
// the post. A click shows at once, before the number has it.
import {initializeApp} from 'firebase/app';
import {getAuth, signInAnonymously} from 'firebase/auth';
import {
  collection, connectFirestoreEmulator, deleteDoc, doc, getFirestore, limit, onSnapshot, orderBy, query, serverTimestamp, setDoc,
} from 'firebase/firestore';

const app = initializeApp({projectId: 'demo-tallyroll'}); // yours, with its apiKey
const db = getFirestore(app);
const uid = EMULATOR ? onEmulator() : (await signInAnonymously(getAuth(app))).user.uid;
const list = document.querySelector('ol');
const order = document.querySelector('#order');
const items = new Map();
let stop = () => {};

order.onchange = showPosts;
showPosts();

/** Lists the posts that are highest in the chosen field. */
function showPosts() {
  stop();
  stop = onSnapshot(query(collection(db, 'posts'), orderBy(order.value, 'desc'), limit(20)), (found) => {
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
}

function newItem(id) {
  const element = document.querySelector('template').content.firstElementChild.cloneNode(true);
  const [title, button, average, , stars] = element.querySelectorAll('b, button, .average, label, .stars');
  const like = doc(db, 'posts', id, 'likes', uid);
  const rating = doc(db, 'posts', id, 'ratings', uid);
  let total = 0;
  let ahead = 0; // this user's clicks that the number does not have yet: for some seconds, as another's click may undo one
  let liked = false;
  const draw = () => {
    button.textContent = `♥ ${total + ahead}`;
    button.setAttribute('aria-pressed', liked);
  };
  const add = (step) => {
    ahead += step;
    draw();
  };
  button.onclick = () => {
    const step = liked ? -1 : 1;
    add(step);
    (liked ? deleteDoc(like) : setDoc(like, {at: serverTimestamp()})).then(() => setTimeout(() => add(-ahead), 5_000), (refused) => {
      add(-step);
      say(refused);
    });
  };
  stars.onchange = () => {
    (stars.value ? setDoc(rating, {stars: Number(stars.value)}) : deleteDoc(rating)).catch(say);
  };
  // The user's own documents, as the user has just left them, on whichever device.
  mine(like, (found) => {
    liked = found.exists();
    button.disabled = false;
    draw();
  });
  mine(rating, (found) => {
    stars.value = found.get('stars') ?? '';
    stars.disabled = false;
  });
  const show = (post) => {
    if (post.get('likes') !== total) {
      total = post.get('likes');
      ahead = 0;
    }
    title.textContent = post.get('title');
    average.textContent = post.get('ratings') ? `★ ${post.get('stars_average').toFixed(1)} of ${post.get('ratings')}` : 'not rated';
    draw();
  };
  items.set(id, {element, show});
  return items.get(id);
}

/** Hears of a document once the server has said whether it is there; a cache may not know. */
function mine(reference, hear) {
  onSnapshot(reference, {includeMetadataChanges: true}, (found) => {
    if (found.exists() || found.metadata.hasPendingWrites || !found.metadata.fromCache) {
      hear(found);
    }
  }, say);
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
