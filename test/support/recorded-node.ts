import { decodeBlock } from "../../catapult/entity/block.js";
import type { NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
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

/** The recorded blocks, verified but for signatures. */
export function verifiedBlocks(chain: RecordedChain): VerifiedBlock[] {
  const { network } = chain;
  return chain
    .blocks()
    .map(({ block, statement }) =>
      verifyBlock({ bytes: block, statementBytes: statement, network, checkSignatures: false }),
    );
}

/** One of the three recorded forks: the same chain continued, as it was before and after the switch. */
export interface RecordedFork {
  readonly fork: number;
  readonly commonHeight: number;
  readonly droppedBlocks: number;
  readonly before: ServedBlock[];
  readonly after: ServedBlock[];
}

interface ForkBlock {
  readonly height: number;
  readonly hash: string;
  readonly block: string;
  readonly statement: string;
  /** Only if a file contains several forks. */
  readonly fork?: number;
}

/** The forks, each with both whole chains from the nemesis block on. */
export function recordedForks(chain: RecordedChain): RecordedFork[] {
  const base = recordedNode(chain);
  const before = chain.lines<ForkBlock>("fork/before.jsonl.gz");
  const after = chain.lines<ForkBlock>("fork/after.jsonl.gz");
  const every = chain.lines<ForkBlock>("fork/blocks.jsonl.gz");
  return chain
    .json<{ fork: number; base: number; dropped: number }[]>("fork/forks.json")
    .map(({ fork, base: commonHeight, dropped }) => ({
      fork,
      commonHeight,
      droppedBlocks: dropped,
      before: joinChain(
        base,
        every,
        before.filter((line) => line.fork === fork),
      ),
      after: joinChain(
        base,
        every,
        after.filter((line) => line.fork === fork),
      ),
    }));
}

/** The whole chain that ends in `top`: the blocks between it and the recorded base are found by their parents' hashes. */
function joinChain(
  { blocks: base, network }: RecordedNode,
  every: readonly ForkBlock[],
  top: readonly ForkBlock[],
): ServedBlock[] {
  const byHash = new Map(every.map((block) => [block.hash, block]));
  const chain = top.toSorted((a, b) => a.height - b.height);
  for (;;) {
    const lowest = chain[0];
    if (!lowest) throw new Error("A recorded fork without blocks");
    if (lowest.height === base.length + 1) break;
    const parentHash = decodeBlock(hex(lowest.block), network).previousHash.toString("hex").toUpperCase();
    const parent = byHash.get(parentHash);
    if (!parent) throw new Error(`The parent of recorded block ${lowest.height} is missing`);
    chain.unshift(parent);
  }
  return [...base, ...chain.map(({ block, statement }) => ({ block: hex(block), statement: hex(statement) }))];
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}
