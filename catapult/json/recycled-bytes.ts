/** Smaller bodies share slabs of Node already; larger ones are too rare to keep memory for them. In bytes. */
const SMALLEST = 4 * 1024;
const LARGEST = 1024 * 1024;
/** Of all memory that is kept, in bytes. */
const MAX_FREE = 8 * 1024 * 1024;

/** Free memory by the binary logarithm of its size. */
const free = new Map<number, Buffer[]>();
let freeBytes = 0;
/** The memory of copies that are in use. */
const lent = new WeakMap<Buffer, Buffer>();

/**
 * A copy of bytes, which may be in memory that was given back. Allocated anew for each response, that memory makes V8
 * collect the whole heap every few hundred responses, which takes longer than rendering them.
 */
export function copyOf(bytes: Buffer): Buffer {
  const size = bytes.length;
  if (size < SMALLEST || size > LARGEST) return Buffer.from(bytes);
  const order = orderOf(size);
  const memory = free.get(order)?.pop();
  if (memory) freeBytes -= memory.length;
  const whole = memory ?? Buffer.allocUnsafeSlow(2 ** order);
  const copy = whole.subarray(0, size);
  copy.set(bytes);
  lent.set(copy, whole);
  return copy;
}

/**
 * Gives back a copy that is no longer read. What is not from {@link copyOf}, and a copy that is never given back, is left
 * to the garbage collection.
 */
export function giveBack(copy: Buffer): void {
  const whole = lent.get(copy);
  if (!whole) return;
  lent.delete(copy);
  if (freeBytes + whole.length > MAX_FREE) return;
  const order = orderOf(whole.length);
  const others = free.get(order);
  if (others) others.push(whole);
  else free.set(order, [whole]);
  freeBytes += whole.length;
}

/** Makes a copy that has several readers one that is never given back. */
export function keep(copy: Buffer): void {
  lent.delete(copy);
}

/** The power of two of the memory for this many bytes. */
function orderOf(size: number): number {
  return 32 - Math.clz32(size - 1);
}
