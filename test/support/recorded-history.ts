import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import type { ServedBlock } from "./branch-node.js";
import type { ChainRecording, RecordingBlock } from "./chain-recording.js";

/** What a node has at a time: a chain, and the proofs that it got until then, in their order. */
export interface RecordedMoment {
  readonly blocks: readonly ServedBlock[];
  readonly proofs: readonly Buffer[];
}

/** A branch that was left, or a proof, and the height of the chain by then. */
type RecordedChange =
  | { readonly at: number; readonly branch: readonly RecordingBlock[] }
  | { readonly at: number; readonly proof: Buffer };

/**
 * The history of a node with a recorded chain: it switches to each branch that was recorded when that is higher than
 * its chain, and back, and gets the proofs between blocks.
 */
export function* historyOf(chain: ChainRecording): Generator<RecordedMoment> {
  const all = chain.blocks.map(served);
  const proofs: Buffer[] = [];
  let height = 0;
  for (const change of changesOf(chain)) {
    const isBranch = "branch" in change;
    const before = change.at - (isBranch ? 1 : 0);
    if (height < before) {
      height = before;
      yield { blocks: all.slice(0, height), proofs: [...proofs] };
    }
    if (isBranch) {
      const base = all.slice(0, change.branch[0]!.decoded.height - 1);
      yield { blocks: [...base, ...change.branch.map(served)], proofs: [...proofs] };
    } else {
      proofs.push(change.proof);
      yield { blocks: all.slice(0, height), proofs: [...proofs] };
    }
  }
  yield { blocks: all, proofs: [...proofs] };
}

function changesOf(chain: ChainRecording): RecordedChange[] {
  const branches = branchesOf(chain).map((branch) => ({ at: branch.at(-1)!.decoded.height, branch }));
  const rounds = chain.rounds();
  const proofs = rounds.length > 0 ? withoutRepetitions(rounds) : proofsAfter(chain, branches);
  const isProof = (change: RecordedChange) => ("proof" in change ? 1 : 0);
  return [...branches, ...proofs].toSorted((left, right) => left.at - right.at || isProof(left) - isProof(right));
}

/** The first proof of each round, in their order: nodes had them at different times. */
function withoutRepetitions(rounds: readonly { readonly proof: Buffer; readonly at: number }[]) {
  const byRound = new Map<string, { proof: Buffer; at: number }>();
  for (const { proof, at } of rounds) {
    const { epoch, point } = decodeFinalizationProof(proof);
    const known = byRound.get(`${epoch} ${point}`);
    if (!known || at < known.at) byRound.set(`${epoch} ${point}`, { proof, at });
  }
  return [...byRound.values()];
}

/** The proofs that a node serves in the end, each when all branches were left that do not have its block. */
function proofsAfter(chain: ChainRecording, branches: readonly { at: number; branch: readonly RecordingBlock[] }[]) {
  return [...chain.finalizationProofs().values()].map((proof) => {
    const { height } = decodeFinalizationProof(proof);
    const below = branches.filter(({ branch }) => branch[0]!.decoded.height <= height).map(({ at }) => at);
    return { at: Math.min(chain.blocks.length, Math.max(height, ...below)), proof };
  });
}

/** The blocks of each branch, above the chain, the lowest first. */
function branchesOf(chain: ChainRecording): RecordingBlock[][] {
  const keyOf = (hash: Buffer) => hash.toString("hex");
  const left = new Map(chain.branchBlocks().map((block) => [keyOf(block.decoded.hash), block]));
  const parents = new Set([...left.values()].map(({ decoded }) => keyOf(decoded.previousHash)));
  return [...left.values()]
    .filter(({ decoded }) => !parents.has(keyOf(decoded.hash)))
    .map((tip) => {
      const branch: RecordingBlock[] = [];
      for (let next: RecordingBlock | undefined = tip; next; next = left.get(keyOf(next.decoded.previousHash))) {
        branch.unshift(next);
      }
      return branch;
    });
}

function served({ bytes }: RecordingBlock): ServedBlock {
  return { block: bytes, statement: Buffer.alloc(0) };
}
