import { setTimeout as sleep } from "node:timers/promises";
import { createServer } from "node:tls";
import { tlsOptions } from "../../../catapult/certificate/certificate.js";
import { BLOCK, VERIFIABLE } from "../../../catapult/entity/entity-layout.js";
import { blockSigningBytes } from "../../../catapult/entity/hashes.js";
import { encodePacket, PacketReader } from "../../../catapult/wire/packet.js";
import { FinalizationStage, writeFinalizationProof } from "../../../devnet/chain/finalization-proof.js";
import { deriveDevnetKeys } from "../../../devnet/network/keys.js";
import type { Signer } from "../../../devnet/network/signer.js";
import type { PacketHandler } from "../../../devnet/protocol/packet-server.js";
import { BranchNode, type ServedBlock } from "../../support/branch-node.js";
import { serverCredentials } from "../../support/connection-fixtures.js";
import { DevnetFixture, signedPayload } from "../../support/devnet.js";
import { devnetBlocks } from "../../support/devnet-execution.js";
import { RawReply } from "../../support/raw-packet-server.js";

const SEED = "attacked indexer";
/** Final, and the last block that both branches have. */
export const FINAL_HEIGHT = 8;
const LOWER_HEIGHT = 20;
const HEIGHT = 30;
const BAD_HEIGHT = 25;
const keys = deriveDevnetKeys(SEED);

/** An honest node, whose chain grows, and the blocks that a hostile one may serve. */
export class NodeScene {
  readonly honest: DevnetFixture;
  /** The honest node's chain before the attack, and a valid branch of it with a lower score. */
  readonly blocks: readonly ServedBlock[];
  readonly lower: readonly ServedBlock[];
  readonly #proofs: ReadonlyMap<number, Buffer>;

  private constructor(
    honest: DevnetFixture,
    blocks: readonly ServedBlock[],
    lower: readonly ServedBlock[],
    proofs: ReadonlyMap<number, Buffer>,
  ) {
    this.honest = honest;
    this.blocks = blocks;
    this.lower = lower;
    this.#proofs = proofs;
  }

  static async start(): Promise<NodeScene> {
    const honest = await DevnetFixture.start({ seed: SEED, rules: { votingSetGrouping: FINAL_HEIGHT } });
    const { devnet } = honest;
    const grow = async (height: number, amount: bigint) => {
      while (devnet.height < height) {
        devnet.announce(signedPayload(devnet, honest.account("alice"), { amount }));
        await devnet.harvest(1);
      }
    };
    await grow(LOWER_HEIGHT, 1n);
    devnet.finalize(FINAL_HEIGHT);
    const lower = await devnetBlocks(honest);
    devnet.fork({ from: FINAL_HEIGHT, blocks: 1 });
    await grow(HEIGHT, 2n);
    const blocks = await devnetBlocks(honest);
    const proofs = new Map<number, Buffer>();
    for (const epoch of [1, 2]) {
      const proof = await honest.client.finalizationProofAtEpoch(epoch);
      if (proof) proofs.set(epoch, proof);
    }
    return new NodeScene(honest, blocks, lower, proofs);
  }

  /** A proof of the epoch that names its last block only, by the voters or by others. */
  proof(voter = keys): Buffer {
    const { hash } = this.honest.devnet.block(FINAL_HEIGHT);
    const stages = [FinalizationStage.prevote, FinalizationStage.precommit];
    const votes = stages.map((stage) => ({ voters: [voter], stage, height: FINAL_HEIGHT, hashes: [hash] }));
    return writeFinalizationProof({ epoch: 2, point: 1, height: FINAL_HEIGHT, hash }, votes);
  }

  /** A node that serves a chain; its handlers are to be replaced. */
  async serve(blocks: readonly ServedBlock[] = this.blocks): Promise<BranchNode> {
    const node = await BranchNode.start({ network: this.honest.devnet.network, blocks });
    node.finalize({ epoch: 2, point: 1, height: FINAL_HEIGHT });
    node.showProofs(this.#proofs);
    return node;
  }

  /** The chain up to a block that was changed and signed again. */
  signedAgain(change: (block: Buffer) => unknown, signer: Signer = keys.remote): ServedBlock[] {
    const block = Buffer.from(this.blocks[BAD_HEIGHT - 1]!.block);
    change(block);
    signer.publicKey.copy(block, VERIFIABLE.signerPublicKey);
    signer.sign(blockSigningBytes(block)).copy(block, VERIFIABLE.signature);
    return [...this.blocks.slice(0, BAD_HEIGHT - 1), { block, statement: Buffer.alloc(0) }];
  }

  stop(): Promise<void> {
    return this.honest.stop();
  }
}

/** Flips one bit. */
export const flip =
  (offset: number, bit = 0) =>
  (bytes: Buffer): number =>
    bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);

export const later = (ms: bigint) => (block: Buffer) =>
  block.writeBigUInt64LE(block.readBigUInt64LE(BLOCK.timestamp) + ms, BLOCK.timestamp);

/** Replaces the answers of some packet types by changed ones. */
export function change(node: BranchNode, types: readonly number[], to: (answer: Buffer) => Buffer | RawReply): void {
  for (const type of types) {
    const good = node.handlers.get(type);
    if (!good) continue;
    node.handlers.set(type, async (...request) => to(Buffer.from(((await good(...request)) as Buffer) ?? [])));
  }
}

/** A packet with any size field. */
export function rawPacket(size: number, type: number, payload: Buffer): RawReply {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(size, 0);
  header.writeUInt32LE(type, 4);
  return new RawReply(Buffer.concat([header, payload]));
}

export interface Listening {
  readonly address: { readonly host: string; readonly port: number };
  /** Of further nodes. */
  readonly others?: readonly { readonly host: string; readonly port: number }[];
  close(): Promise<void>;
}

/** Serves what a node serves, but the answers of one type byte by byte. */
export async function drip(
  handlers: ReadonlyMap<number, PacketHandler>,
  dripping: number,
  bytesPerSecond: number,
): Promise<Listening> {
  const server = createServer({ ...tlsOptions(serverCredentials), requestCert: true });
  const sockets = new Set<{ destroy(): void }>();
  server.on("secureConnection", async (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    const reader = new PacketReader();
    let asked = 0;
    try {
      for await (const chunk of socket) {
        reader.append(chunk as Buffer);
        for (let packet = reader.next(); packet; packet = reader.next()) {
          const reply = await handlers.get(packet.type)?.(packet.payload, { publicKey: Buffer.alloc(32), address: "" });
          if (!Buffer.isBuffer(reply)) return void socket.destroy();
          const bytes = encodePacket(packet.type, reply);
          // The first answer decides whether a connection is used at all.
          if (packet.type !== dripping || asked++ === 0) socket.write(bytes);
          else {
            for (let i = 0; i < bytes.length && !socket.destroyed; i += 1) {
              socket.write(bytes.subarray(i, i + 1));
              await sleep(1_000 / bytesPerSecond);
            }
          }
        }
      }
    } catch {
      socket.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    address: { host: "127.0.0.1", port },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
