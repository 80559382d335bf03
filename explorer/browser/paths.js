// Where the gateway is: it may be served below a path by a proxy, so all addresses are relative to its root.

/** The gateway's root, such as `https://host/symbol/`. */
export const root = new URL(document.documentElement.dataset.root, location.href);

/** The address of a path below the root, such as `graphql` or `explorer/block/1`. */
export const at = (path) => new URL(path, root).href;

/** The page of a block, transaction, account, mosaic or namespace. */
export const pageOf = (kind, key) => at(`explorer/${kind}/${encodeURIComponent(key)}`);

/** A list, such as `blocks`; filters and the page are in the query. Values that are undefined or empty are left out. */
export function listOf(kind, filters = {}) {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return at(`explorer/${kind}${query === "" ? "" : `?${query}`}`);
}
