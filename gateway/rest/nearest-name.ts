/**
 * The name that takes the fewest edits to become the given one, or that it begins; capitals do not count. Undefined if
 * none is near.
 */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const text = given.toLowerCase();
  const maxEdits = Math.ceil(text.length / 3);
  const near = names
    .map((name) => ({ name, edits: editsBetween(text, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= maxEdits || name.toLowerCase().startsWith(text))
    .sort((one, other) => one.edits - other.edits);
  return near[0]?.name;
}

/** Number of characters to insert, remove or replace (Levenshtein). */
export function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; ++row) {
    const next = [row];
    for (let column = 1; column <= other.length; ++column) {
      const replaced = (above[column - 1] as number) + (one[row - 1] === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (above[column] as number) + 1, (next[column - 1] as number) + 1));
    }
    above = next;
  }
  return above[other.length] as number;
}
