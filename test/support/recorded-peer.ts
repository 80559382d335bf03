import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import { BranchNode, type ServedBlock } from "./branch-node.js";
import type { ChainRecording } from "./chain-recording.js";
import type { RecordedMoment } from "./recorded-history.js";

/**
 * A node with a recorded chain that serves what any peer serves: chain statistics, hashes, blocks, finalization
 * statistics and finalization proofs. It has the chain up to any height, and what was final by then.
 */
export class RecordedPeer {
  readonly #node: BranchNode;
  readonly #blocks: readonly ServedBlock[];
  readonly #proofs: ReadonlyMap<number, Buffer>;
  #finalizedHeight = 1;

  private constructor(node: BranchNode, blocks: readonly ServedBlock[], proofs: ReadonlyMap<number, Buffer>) {
    this.#node = node;
    this.#blocks = blocks;
    this.#proofs = proofs;
  }

  /** @param height of its last block; default that of the chain */
  static async start(chain: ChainRecording, height = chain.blocks.length): Promise<RecordedPeer> {
    const blocks = chain.blocks.map(({ bytes }) => ({ block: bytes, statement: Buffer.alloc(0) }));
    const node = await BranchNode.start({ network: chain.network, blocks: blocks.slice(0, 1) });
    const peer = new RecordedPeer(node, blocks, chain.finalizationProofs());
    peer.reveal(height);
    return peer;
  }

  get address(): { host: string; port: number } {
    return this.#node.address;
  }

  /** Of packets, by their type. */
  get handlers(): BranchNode["handlers"] {
    return this.#node.handlers;
  }

  get height(): number {
    return this.#node.height;
  }

  hashAt(height: number): Buffer {
    return this.#node.hashAt(height);
  }

  /** Height of the block that its newest proof is for. */
  get finalizedHeight(): number {
    return this.#finalizedHeight;
  }

  /** Has the chain up to `height` from now on. */
  reveal(height: number): void {
    const proofs = [...this.#proofs.values()].filter((proof) => decodeFinalizationProof(proof).height <= height);
    this.show({ blocks: this.#blocks.slice(0, height), proofs });
  }

  /** Has this chain and these proofs from now on. */
  show({ blocks, proofs }: RecordedMoment): void {
    this.#node.switchTo(blocks);
    const decoded = proofs.map((proof) => decodeFinalizationProof(proof)).filter(({ epoch }) => epoch > 1);
    const { epoch, point, hash, height } = decoded.at(-1) ?? { epoch: 1, point: 1, hash: this.hashAt(1), height: 1 };
    this.#node.showProofs(new Map(proofs.map((proof) => [decodeFinalizationProof(proof).epoch, proof])));
    this.#node.finalize({ epoch, point, hash, height });
    this.#finalizedHeight = height;
  }

  close(): Promise<void> {
    return this.#node.close();
  }
}
