/** Orders ids, for `Array.sort`. */
export function ascending(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
