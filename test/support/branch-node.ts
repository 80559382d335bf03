import type { NodeCredentials } from "../../catapult/certificate/certificate.js";
import { blockScore, decodeBlock } from "../../catapult/entity/block.js";
import { transactionHash } from "../../catapult/entity/hashes.js";
import type { Block, NetworkIdentity } from "../../catapult/entity/model.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { PacketHandler, PacketServer } from "../../devnet/protocol/packet-server.js";
import { serverCredentials, silentLog } from "./connection-fixtures.js";
import { nodeInfoOf } from "./node-info.js";
import { RawPacketServer } from "./raw-packet-server.js";

/** A block as a node serves it. */
export interface ServedBlock {
  readonly block: Buffer;
  readonly statement: Buffer;
}

export interface ServedFinalization {
  readonly epoch: number;
  readonly point: number;
  readonly height: number;
  /** Default that of the chain's block. */
  readonly hash?: Buffer;
}

const BLOCKS_AT_A_TIME = 42;
const HASHES_AT_A_TIME = 84;

/**
 * Serves any list of blocks over the node's own protocol, and switches from one list to another at once, as a real
 * node does: heights, hashes and score are all of the old branch or all of the new one. It verifies nothing.
 * Tests may replace `handlers` to let it misbehave.
 */
export class BranchNode {
  readonly handlers: Map<number, PacketHandler>;
  readonly #server: PacketServer;
  readonly #network: NetworkIdentity;
  #blocks: readonly ServedBlock[] = [];
  #decoded: readonly Block[] = [];
  readonly #known = new WeakMap<Buffer, Block>();
  #unconfirmed: readonly Buffer[] = [];
  #partial: Buffer = Buffer.alloc(0);
  #looks = 0;
  #finalization: ServedFinalization = { epoch: 1, point: 1, height: 1 };

  private constructor(network: NetworkIdentity, server: PacketServer, handlers: Map<number, PacketHandler>) {
    this.#network = network;
    this.#server = server;
    this.handlers = handlers;
  }

  static async start(options: {
    blocks: readonly ServedBlock[];
    network: NetworkIdentity;
    /** Default one of the network. */
    nodeInfo?: Buffer;
    credentials?: NodeCredentials;
  }): Promise<BranchNode> {
    const { blocks, network, nodeInfo = nodeInfoOf(network), credentials = serverCredentials } = options;
    const handlers = new Map<number, PacketHandler>();
    const server = await RawPacketServer.listen({ credentials, log: silentLog, handlers });
    const node = new BranchNode(network, server, handlers);
    node.switchTo(blocks);
    node.#register(nodeInfo);
    return node;
  }

  get address(): { host: string; port: number } {
    return this.#server.address();
  }

  get height(): number {
    return this.#blocks.length;
  }

  hashAt(height: number): Buffer {
    return this.blockAt(height).hash;
  }

  blockAt(height: number): Block {
    const block = this.#decoded[height - 1];
    if (!block) throw new RangeError(`This node has no block ${height}`);
    return block;
  }

  /** Number of requests for unconfirmed transactions. */
  get looksIntoPool(): number {
    return this.#looks;
  }

  /** Sets the unconfirmed transactions. */
  showUnconfirmed(transactions: readonly Buffer[]): void {
    this.#unconfirmed = transactions;
  }

  /** Sets the answers to requests for partial transactions, in the node's encoding. */
  showPartial(infos: Buffer): void {
    this.#partial = infos;
  }

  /** Serves `blocks` (the whole chain from the nemesis block on) from now on. */
  switchTo(blocks: readonly ServedBlock[]): void {
    this.#decoded = blocks.map(({ block }) => this.decode(block));
    this.#blocks = blocks;
  }

  /** Decodes a block; the same bytes are decoded once. */
  decode(block: Buffer): Block {
    const decoded = this.#known.get(block) ?? decodeBlock(block, this.#network);
    this.#known.set(block, decoded);
    return decoded;
  }

  /** Serves other bytes for the same chain from now on, whatever they contain: hashes and statistics stay. */
  serve(blocks: readonly ServedBlock[]): void {
    this.#blocks = blocks;
  }

  /** Serves these finalization proofs, by epoch. */
  showProofs(proofs: ReadonlyMap<number, Buffer>): void {
    this.handlers.set(PacketType.finalizationProofAtEpoch, (request) => ({
      type: PacketType.pullFinalizationProof,
      payload: proofs.get(request.readUInt32LE(0)) ?? Buffer.alloc(0),
    }));
  }

  finalize(finalization: ServedFinalization): void {
    this.#finalization = finalization;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #register(nodeInfo: Buffer): void {
    const { handlers } = this;
    handlers.set(PacketType.nodeDiscoveryPullPing, () => nodeInfo);
    handlers.set(PacketType.chainStatistics, () => this.#chainStatistics());
    handlers.set(PacketType.finalizationStatistics, () => this.#finalizationStatistics());
    // Of a node without proofs.
    const nothing = { type: PacketType.pullFinalizationProof, payload: Buffer.alloc(0) };
    handlers.set(PacketType.finalizationProofAtEpoch, () => nothing);
    handlers.set(PacketType.blockHashes, (request) => {
      const first = Number(request.readBigUInt64LE(0));
      const count = Math.min(HASHES_AT_A_TIME, request.readUInt32LE(8));
      return Buffer.concat(this.#decoded.slice(first - 1, first - 1 + count).map(({ hash }) => hash));
    });
    handlers.set(PacketType.pullBlocks, (request) => {
      const first = Number(request.readBigUInt64LE(0));
      const count = Math.min(BLOCKS_AT_A_TIME, request.readUInt32LE(8));
      const maxBytes = request.readUInt32LE(12);
      const served: Buffer[] = [];
      let bytes = 0;
      for (const { block } of this.#blocks.slice(first - 1, first - 1 + count)) {
        bytes += block.length;
        // One block is always sent.
        if (served.length > 0 && bytes > maxBytes) break;
        served.push(block);
      }
      return Buffer.concat(served);
    });
    handlers.set(PacketType.timeSyncNetworkTime, () => {
      const now = Buffer.alloc(8);
      now.writeBigUInt64LE(BigInt(this.#decoded.at(-1)?.timestamp ?? 0));
      return Buffer.concat([now, now]);
    });
    handlers.set(PacketType.pullTransactions, (request) => {
      this.#looks += 1;
      const known = new Set<number>();
      for (let offset = 12; offset < request.length; offset += 4) known.add(request.readUInt32LE(offset));
      const isNew = (bytes: Buffer) => !known.has(transactionHash(bytes, this.#network).readUInt32LE());
      return Buffer.concat(this.#unconfirmed.filter(isNew));
    });
    handlers.set(PacketType.pullPartialTransactionInfos, (request) =>
      request.length > 8 ? Buffer.alloc(0) : this.#partial,
    );
  }

  #chainStatistics(): Buffer {
    const answer = Buffer.alloc(32);
    answer.writeBigUInt64LE(BigInt(this.#blocks.length), 0);
    answer.writeBigUInt64LE(BigInt(this.#finalization.height), 8);
    answer.writeBigUInt64LE(this.#score(), 24);
    return answer;
  }

  #score(): bigint {
    return this.#decoded.reduce((score, block, i) => {
      const parent = this.#decoded[i - 1];
      return parent ? score + blockScore(parent, block) : score;
    }, 1n);
  }

  #finalizationStatistics(): Buffer {
    const { epoch, point, height, hash = this.hashAt(height) } = this.#finalization;
    const answer = Buffer.alloc(48);
    answer.writeUInt32LE(epoch, 0);
    answer.writeUInt32LE(point, 4);
    answer.writeBigUInt64LE(BigInt(height), 8);
    hash.copy(answer, 16);
    return answer;
  }
}
