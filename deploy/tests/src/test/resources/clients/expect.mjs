// What programs of the tests share.

/** Prints what is not as expected, and lets the program fail. */
export async function expect(what, expected, call) {
  const found = await Promise.resolve().then(call).then(String, (failure) => `${failure.name}: ${failure.message}`);
  if (!(expected instanceof RegExp ? expected.test(found) : expected === found)) {
    process.exitCode = 1;
    console.log(`${what}: expected ${expected}, found ${found}`);
  }
}

/** As frameworks do: Vue's ref and reactive. */
export const reactive = (target) => new Proxy(target, {
  get(own, name, proxy) {
    const value = Reflect.get(own, name, proxy);
    return typeof value === 'object' && value !== null ? reactive(value) : value;
  },
});

export const later = (millis) => new Promise((resolve) => { setTimeout(resolve, millis); });

export async function until(holds) {
  while (!holds()) {
    await later(50);
  }
}

export async function inTime(call) {
  const late = new Promise((_, reject) => { setTimeout(() => reject(new Error('still open after 20 s')), 20_000).unref(); });
  return Promise.race([call, late]);
}
