import type { ChainEntry } from "../../devnet/chain/chain.js";
import type { Devnet } from "../../devnet/devnet.js";

/** Further contents of a drawing. */
export interface DrawingOptions {
  /** Payloads of the transactions that a drawing names. */
  readonly transactions?: Readonly<Record<string, Buffer>>;
}

interface DrawnBlock {
  readonly label: string;
  readonly transactions: readonly Buffer[];
}

/**
 * Creates blocks on a devnet as in a drawing, branch after branch:
 *
 * ```
 * const blocks = await drawChain(devnet, [
 *   "A1-A2(pay)-A3",
 *   "A1-B2-B3-B4",
 *   "A1-B2-C3..C10",
 * ]);
 * ```
 *
 * The first block is the devnet's head. A later line is a branch: it begins like the line before it and
 * replaces what follows there. Labels are free; names in parentheses are transactions, `X3..X10` is a series of
 * blocks. Returns the blocks by their labels.
 */
export function drawChain(
  devnet: Devnet,
  branches: readonly string[],
  { transactions = {} }: DrawingOptions = {},
): Map<string, ChainEntry> {
  const root = devnet.height;
  const drawn = new Map<string, ChainEntry>();
  let current: DrawnBlock[] = [];
  for (const branch of branches) {
    const next = parseBranch(branch, transactions);
    const fresh = next.findIndex(({ label }, index) => label !== current[index]?.label);
    if (fresh < 0) throw new Error(`the branch ${branch} has no block of its own`);
    const added = next.slice(fresh);
    const repeated = added.find(({ label }) => drawn.has(label));
    if (repeated) throw new Error(`the block ${repeated.label} is in two branches`);
    const entries = devnet.fork({
      from: root + fresh,
      blocks: added.length,
      transactions: added.map((block) => block.transactions),
    });
    for (const [index, entry] of entries.entries()) drawn.set(added[index]?.label ?? "", entry);
    current = next;
  }
  return drawn;
}

function parseBranch(branch: string, transactions: Readonly<Record<string, Buffer>>): DrawnBlock[] {
  return branch.split("-").flatMap((text) => {
    const row = /^(\D*)(\d+)\.\.\1(\d+)$/.exec(text);
    if (row) {
      const [, prefix, first, last] = row;
      const length = Number(last) - Number(first) + 1;
      return Array.from({ length }, (_, index) => ({ label: `${prefix}${Number(first) + index}`, transactions: [] }));
    }
    const block = /^(\w+)(?:\(([\w,]+)\))?$/.exec(text);
    if (!block?.[1]) throw new Error(`${text} is no block of a drawing`);
    const names = block[2]?.split(",") ?? [];
    return { label: block[1], transactions: names.map((name) => named(name, transactions)) };
  });
}

function named(name: string, transactions: Readonly<Record<string, Buffer>>): Buffer {
  const payload = transactions[name];
  if (!payload) throw new Error(`the drawing names a transaction ${name} that is not given`);
  return payload;
}
