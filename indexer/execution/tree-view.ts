import { decodeStatePath, type StateTreeNode, treeBranchHash, treeLeafHash } from "../../catapult/state/tree-path.js";

/** The nodes of a state tree from the root towards a position that begins with `prefix` (hex digits in lower case). */
export type PathReader = (prefix: string) => Promise<Buffer>;

/** Thrown when a tree's nodes do not form one tree: it changed while it was read. */
export class TreeChangedError extends Error {
  override readonly name = "TreeChangedError";
}

/**
 * A state tree that is read path by path. The node below a prefix has the rest of its path, as if the tree began
 * there, so that the same entries have the same hash in two trees of different shape.
 */
export class TreeView {
  readonly #read: PathReader;
  readonly #root: Buffer;
  /** By the prefix where they begin. */
  readonly #nodes = new Map<string, StateTreeNode>();

  /** @param root hash (32 bytes), which every path must have: zeros for an empty tree */
  constructor(read: PathReader, root: Buffer) {
    this.#read = read;
    this.#root = root;
  }

  /** @throws TreeChangedError; EntityError for bytes that are not a path; errors of reading */
  async below(prefix: string): Promise<StateTreeNode | undefined> {
    if (!this.#nodes.has("")) await this.#load(prefix);
    let start = "";
    for (let node = this.#nodes.get(start); node; ) {
      const end = start + node.nibbles;
      if (end.startsWith(prefix)) return withPath(node, end.slice(prefix.length));
      const link =
        node.kind === "branch" && prefix.startsWith(end) ? node.links[nibbleAt(prefix, end.length)] : undefined;
      if (!link) return undefined;
      start = prefix.slice(0, end.length + 1);
      if (!this.#nodes.has(start)) await this.#load(prefix);
      node = this.#nodes.get(start);
      if (!node?.hash.equals(link)) throw new TreeChangedError(`The tree has no node ${link.toString("hex")}`);
    }
    return undefined;
  }

  async #load(prefix: string): Promise<void> {
    const nodes = decodeStatePath(await this.#read(prefix));
    const root = nodes[0]?.hash ?? Buffer.alloc(this.#root.length);
    if (!root.equals(this.#root)) throw new TreeChangedError(`The tree has the root ${root.toString("hex")}`);
    let start = "";
    for (const node of nodes) {
      this.#nodes.set(start, node);
      const end = start + node.nibbles;
      if (end.length >= prefix.length || !prefix.startsWith(end)) return;
      start = prefix.slice(0, end.length + 1);
    }
  }
}

/** The same node below another part of its path. */
export function withPath(node: StateTreeNode, nibbles: string): StateTreeNode {
  if (nibbles === node.nibbles) return node;
  return node.kind === "leaf"
    ? { ...node, nibbles, hash: treeLeafHash(nibbles, node.valueHash) }
    : { ...node, nibbles, hash: treeBranchHash(nibbles, node.links) };
}

function nibbleAt(prefix: string, index: number): number {
  return Number.parseInt(prefix[index]!, 16);
}
