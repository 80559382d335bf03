import { decodeBlock } from "../../catapult/entity/block.js";
import type { ServedBlock } from "./branch-node.js";
import type { RecordedChain } from "./recorded-chain.js";
import { recordedNode } from "./recorded-node.js";

/** Every chain that the recording node ever had, by the hash of its last block. */
export class RecordedBranches {
  readonly base: readonly ServedBlock[];
  readonly #byHash = new Map<string, { readonly served: ServedBlock; readonly parent: string }>();

  constructor(chain: RecordedChain) {
    const { blocks, network } = recordedNode(chain);
    this.base = blocks;
    for (const { hash, block, statement } of chain.lines<Record<"hash" | "block" | "statement", string>>(
      "fork/blocks.jsonl.gz",
    )) {
      const served = { block: Buffer.from(block, "hex"), statement: Buffer.from(statement, "hex") };
      const parent = decodeBlock(served.block, network).previousHash.toString("hex").toUpperCase();
      this.#byHash.set(hash, { served, parent });
    }
  }

  /** The whole chain from the nemesis block to the one with this hash (32 bytes). */
  to(hash: Buffer): ServedBlock[] {
    const above: ServedBlock[] = [];
    let next = hash.toString("hex").toUpperCase();
    for (let block = this.#byHash.get(next); block && heightOf(block.served) > this.base.length; ) {
      above.unshift(block.served);
      next = block.parent;
      block = this.#byHash.get(next);
    }
    return [...this.base, ...above];
  }
}

function heightOf({ block }: ServedBlock): number {
  return Number(block.readBigUInt64LE(112));
}
