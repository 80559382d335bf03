/** Major versions of Node that are supported: the tests pass on each of them. */
export const SUPPORTED_NODES: readonly number[] = [22, 24, 26];

/** Whether this version, such as "22.11.0", is a supported one, as `engines` in package.json says; others may run. */
export function isSupportedNode(version: string): boolean {
  return SUPPORTED_NODES.includes(Number.parseInt(version, 10));
}

/** One line on a version that is not supported; undefined for one that is. */
export function nodeVersionWarning(version: string): string | undefined {
  if (isSupportedNode(version)) return undefined;
  return `Node ${version} is not supported, ${SUPPORTED_NODES.join(", ")} are: this may work, or not.`;
}
