import { decodeBlock } from "../../catapult/entity/block.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { ServedBlock } from "./branch-node.js";
import type { RecordedChain } from "./recorded-chain.js";

/** The recorded chain as a node serves it. */
export interface RecordedNode {
  readonly blocks: ServedBlock[];
  readonly network: NetworkIdentity;
  readonly nodeInfo: Buffer;
}

/** The 596 recorded blocks. */
export function recordedNode(chain: RecordedChain): RecordedNode {
  return {
    blocks: chain.blocks(),
    network: chain.network,
    nodeInfo: hex(chain.packets().nodeInfo ?? ""),
  };
}

/** Every chain that the recording node ever had, by the hash of its last block. */
export class RecordedBranches {
  readonly base: readonly ServedBlock[];
  readonly #byHash = new Map<
    string,
    { readonly served: ServedBlock; readonly parent: string; readonly height: number }
  >();

  constructor(chain: RecordedChain) {
    this.base = chain.blocks();
    const lines = chain.lines<Record<"hash" | "block" | "statement", string>>("fork/blocks.jsonl.gz");
    for (const { hash, block, statement } of lines) {
      const served = { block: hex(block), statement: hex(statement) };
      const { previousHash, height } = decodeBlock(served.block, chain.network);
      this.#byHash.set(hash, { served, parent: previousHash.toString("hex").toUpperCase(), height });
    }
  }

  /** The whole chain from the nemesis block to the one with this hash (32 bytes). */
  to(hash: Buffer): ServedBlock[] {
    const above: ServedBlock[] = [];
    let block = this.#byHash.get(hash.toString("hex").toUpperCase());
    while (block && block.height > this.base.length) {
      above.unshift(block.served);
      block = this.#byHash.get(block.parent);
    }
    return [...this.base, ...above];
  }
}

/** One of the three recorded forks: the same chain continued, as it was before and after the switch. */
export interface RecordedFork {
  readonly fork: number;
  readonly commonHeight: number;
  readonly droppedBlocks: number;
  readonly before: ServedBlock[];
  readonly after: ServedBlock[];
}

/** In the file of forks. */
interface ForkFigures extends Record<"fork" | "base" | "dropped", number> {
  /** Of the last blocks. */
  readonly hashBefore: string;
  readonly hashAfter: string;
}

/** The forks, each with both whole chains from the nemesis block on. */
export function recordedForks(chain: RecordedChain): RecordedFork[] {
  const branches = new RecordedBranches(chain);
  return chain.json<ForkFigures[]>("fork/forks.json").map(({ fork, base, dropped, hashBefore, hashAfter }) => ({
    ...{ fork, commonHeight: base, droppedBlocks: dropped },
    ...{ before: branches.to(hex(hashBefore)), after: branches.to(hex(hashAfter)) },
  }));
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}
