import { describe, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/block.js";
import type { NetworkIdentity } from "../../catapult/model.js";
import type { ServedBlock } from "./branch-node.js";
import { recordedJson, recordedLines } from "./connection-fixtures.js";

/** The recorded chain as a node serves it. */
export interface RecordedNode {
  readonly blocks: ServedBlock[];
  readonly network: NetworkIdentity;
  readonly nodeInfo: Buffer;
}

interface RecordedBlock {
  readonly height: number;
  readonly block: string;
  readonly statement: string;
}

interface RecordedPackets {
  readonly nodeInfo: string;
  readonly finalizationStatistics: string;
  readonly chainStatistics: string;
  readonly subCacheMerkleRoots: { readonly height: number; readonly payload: string };
}

/** The 596 recorded blocks; undefined in a clone that has no recording beside it. */
export function recordedNode(): RecordedNode | undefined {
  const lines = recordedLines<RecordedBlock>("blocks.jsonl.gz");
  const packets = recordedJson<RecordedPackets>("packets.json");
  const network = recordedJson<{ networkByte: number; generationHashSeed: string }>("network.json");
  if (!lines || !packets || !network) return undefined;
  const roots = packets.subCacheMerkleRoots;
  return {
    blocks: lines.map(({ height, block, statement }) => ({
      block: hex(block),
      statement: hex(statement),
      ...(height === roots.height && { subCacheMerkleRoots: hex(roots.payload) }),
    })),
    network: { identifier: network.networkByte, generationHashSeed: hex(network.generationHashSeed) },
    nodeInfo: hex(packets.nodeInfo),
  };
}

/** One of the three recorded forks: the same chain continued, as it was before and after the switch. */
export interface RecordedFork {
  readonly fork: number;
  readonly commonHeight: number;
  readonly droppedBlocks: number;
  readonly before: ServedBlock[];
  readonly after: ServedBlock[];
}

interface ForkBlock extends RecordedBlock {
  readonly hash: string;
  /** Only where a file holds several forks. */
  readonly fork?: number;
}

/** The forks, each with both whole chains from the nemesis block on. */
export function recordedForks(base: RecordedNode): RecordedFork[] | undefined {
  const forks = recordedJson<{ fork: number; base: number; dropped: number }[]>("fork/forks.json");
  const before = recordedLines<ForkBlock>("fork/before.jsonl.gz");
  const after = recordedLines<ForkBlock>("fork/after.jsonl.gz");
  const every = recordedLines<ForkBlock>("fork/blocks.jsonl.gz");
  if (!forks || !before || !after || !every) return undefined;
  return forks.map(({ fork, base: commonHeight, dropped }) => {
    const ofFork = (lines: ForkBlock[]) => lines.filter((line) => line.fork === fork);
    return {
      fork,
      commonHeight,
      droppedBlocks: dropped,
      before: joinChain(base, every, ofFork(before)),
      after: joinChain(base, every, ofFork(after)),
    };
  });
}

/** The whole chain that ends in `top`: what lies between it and the recorded base is found by its parents' hashes. */
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

/** Prints that cases are left out, and leaves out only those, where the recording is absent. */
export function describeRecorded<T>(name: string, recording: T | undefined, cases: (recording: T) => void): void {
  if (recording === undefined) {
    console.warn(`No recorded chain beside this checkout: "${name}" is left out`);
    describe.skip(name, () => {
      test("needs the recorded chain", () => undefined);
    });
    return;
  }
  describe(name, () => cases(recording));
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}
