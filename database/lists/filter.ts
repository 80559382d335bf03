/**
 * Does not compile where a query leaves out a condition of its filter, which it would ignore: `others` is what is left
 * of the filter after all conditions were named, as in `const { address, types, ...others } = filter`.
 */
export function noOthers(_others: Readonly<Record<string, never>>): void {}
