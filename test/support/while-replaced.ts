/** Runs `work` with another method in place of one of an object, as if the program had another rule. */
export async function whileReplaced<T, K extends keyof T>(
  target: T,
  name: K,
  replacementOf: (original: T[K]) => T[K],
  work: () => Promise<void>,
): Promise<void> {
  const original = target[name];
  target[name] = replacementOf(original);
  try {
    await work();
  } finally {
    target[name] = original;
  }
}
