import { PacketType } from "../catapult/packet-type.js";
import type { Announcer } from "./announcer.js";
import type { Chain } from "./chain.js";
import type { Finalizer } from "./finalizer.js";
import type { DevnetKeys } from "./keys.js";
import type { DevnetNetwork } from "./network.js";
import type { PacketHandler } from "./packet-server.js";
import type { TransactionPool } from "./transaction-pool.js";

const NODE_VERSION = 0x01000308;
const ROLES = { peer: 1, api: 2, voting: 4, ipv4: 64 } as const;
const EMPTY = Buffer.alloc(0);
const ZERO_HEIGHT = Buffer.alloc(8);

/** What the answers of a devnet's node come from. */
export interface NodeHandlersOptions {
  readonly chain: Chain;
  readonly finalizer: Finalizer;
  readonly pool: TransactionPool;
  readonly announcer: Announcer;
  readonly network: DevnetNetwork;
  readonly keys: DevnetKeys;
  /** Milliseconds since the network's epoch. */
  readonly now: () => number;
  /** How others reach this node. */
  readonly endpoint: () => { host: string; port: number };
  readonly friendlyName: string;
}

/**
 * The answers of a devnet's node by packet type. Requests of a wrong size get no answer, as from the reference node; for
 * other packet types it has no handler either.
 */
export function createNodeHandlers(options: NodeHandlersOptions): Map<number, PacketHandler> {
  return new Map<number, PacketHandler>([
    ...chainHandlers(options),
    ...transactionHandlers(options),
    ...finalizationHandlers(options),
    ...diagnosticHandlers(options),
  ]);
}

function chainHandlers({ chain, network }: NodeHandlersOptions): [number, PacketHandler][] {
  const { rules } = network;
  /** Answers for heights from 1 to the chain's; others get an empty answer. */
  const byHeight = (size: number, answer: (height: number, request: Buffer) => Buffer): PacketHandler => {
    return (request) => {
      if (request.length !== size) return undefined;
      const height = request.readBigUInt64LE(0);
      return height === 0n || height > BigInt(chain.height) ? EMPTY : answer(Number(height), request);
    };
  };

  const pullBlock = byHeight(8, (height) => chain.block(height));
  const hashes = byHeight(12, (height, request) => {
    const count = Math.min(request.readUInt32LE(8), rules.maxHashesPerSyncAttempt, chain.height - height + 1);
    return Buffer.concat(Array.from({ length: count }, (_, index) => chain.entry(height + index).hash));
  });
  const blocks = byHeight(16, (height, request) => {
    const count = Math.min(request.readUInt32LE(8), rules.maxBlocksPerSyncAttempt, chain.height - height + 1);
    const maxSize = Math.min(request.readUInt32LE(12), rules.maxChainBytesPerSyncAttempt);
    const parts: Buffer[] = [];
    for (let index = 0, size = 0; index < count; index += 1) {
      size += chain.entry(height + index).size;
      // one block is always sent
      if (index > 0 && size > maxSize) break;
      parts.push(chain.block(height + index));
    }
    return Buffer.concat(parts);
  });

  return [
    // a height of 0 means the last block
    [
      PacketType.pullBlock,
      (request, peer) => pullBlock(request.equals(ZERO_HEIGHT) ? uint64(BigInt(chain.height)) : request, peer),
    ],
    [PacketType.blockHashes, hashes],
    [PacketType.pullBlocks, blocks],
    [PacketType.blockStatement, byHeight(8, (height) => chain.statement(height))],
    [PacketType.subCacheMerkleRoots, byHeight(8, (height) => chain.roots(height))],
    [
      PacketType.chainStatistics,
      withoutPayload(() => {
        const { score } = chain.head;
        const low = BigInt.asUintN(64, score);
        return uint64(BigInt(chain.height), BigInt(chain.finalized.height), score >> 64n, low);
      }),
    ],
    // blocks of others are not taken
    [PacketType.pushBlock, () => undefined],
  ];
}

function transactionHandlers({ pool, announcer }: NodeHandlersOptions): [number, PacketHandler][] {
  return [
    [
      PacketType.pushTransactions,
      (payload, peer) => {
        announcer.push(payload, peer.publicKey.toString("hex"));
        return undefined;
      },
    ],
    [
      PacketType.pullTransactions,
      (request) => {
        if (request.length < 12 || request.length % 4 !== 0) return undefined;
        const knownShortHashes = new Set<number>();
        for (let offset = 12; offset < request.length; offset += 4) knownShortHashes.add(request.readUInt32LE(offset));
        const filter = {
          minDeadline: request.readBigUInt64LE(0),
          minFeeMultiplier: request.readUInt32LE(8),
          knownShortHashes,
        };
        return Buffer.concat(pool.unknown(filter));
      },
    ],
    // bonded aggregates are not taken, so none is partial
    [PacketType.pushPartialTransactions, () => undefined],
    [PacketType.pushDetachedCosignatures, () => undefined],
    [PacketType.pullPartialTransactionInfos, (request) => (request.length < 8 ? undefined : EMPTY)],
  ];
}

function finalizationHandlers({ chain, finalizer }: NodeHandlersOptions): [number, PacketHandler][] {
  const proof = (bytes: Buffer | undefined) => ({ type: PacketType.pullFinalizationProof, payload: bytes ?? EMPTY });
  return [
    [
      PacketType.finalizationStatistics,
      withoutPayload(() => {
        const { epoch, point, height, hash } = chain.finalized;
        return Buffer.concat([uint32(epoch, point), uint64(BigInt(height)), hash]);
      }),
    ],
    [
      PacketType.finalizationProofAtEpoch,
      (request) => (request.length === 4 ? proof(finalizer.proofAtEpoch(request.readUInt32LE(0))) : undefined),
    ],
    [
      PacketType.finalizationProofAtHeight,
      (request) =>
        request.length === 8 ? proof(finalizer.proofAtHeight(Number(request.readBigUInt64LE(0)))) : undefined,
    ],
    // the votes of a round are counted at once: nobody else votes, and no message is left to hand out
    [PacketType.pushFinalizationMessages, () => undefined],
    [PacketType.pullFinalizationMessages, (request) => (request.length < 16 ? undefined : EMPTY)],
  ];
}

function diagnosticHandlers(options: NodeHandlersOptions): [number, PacketHandler][] {
  const { keys, now } = options;
  return [
    [PacketType.nodeDiscoveryPullPing, withoutPayload(() => nodeInfo(options))],
    [PacketType.nodeDiscoveryPullPeers, withoutPayload(() => EMPTY)],
    [PacketType.nodeDiscoveryPushPing, () => undefined],
    [PacketType.nodeDiscoveryPushPeers, () => undefined],
    [PacketType.activeNodeInfos, withoutPayload(() => EMPTY)],
    [PacketType.timeSyncNetworkTime, withoutPayload(() => uint64(BigInt(now()), BigInt(now())))],
    [PacketType.unlockedAccounts, withoutPayload(() => keys.remote.publicKey)],
    [PacketType.diagnosticCounters, withoutPayload(() => EMPTY)],
  ];
}

/** What a node says about itself (catapult `ionet/NetworkNode`). */
function nodeInfo({ keys, network, endpoint, friendlyName }: NodeHandlersOptions): Buffer {
  const { host, port } = endpoint();
  const names = Buffer.from(host + friendlyName);
  const roles = ROLES.peer | ROLES.api | ROLES.voting | ROLES.ipv4;
  const tail = Buffer.alloc(5);
  tail.writeUInt16LE(port, 0);
  tail.writeUInt8(network.rules.networkIdentifier, 2);
  tail.writeUInt8(Buffer.byteLength(host), 3);
  tail.writeUInt8(Buffer.byteLength(friendlyName), 4);
  const fields = [
    uint32(NODE_VERSION),
    keys.harvester.publicKey,
    network.identity.generationHashSeed,
    uint32(roles),
    tail,
    names,
  ];
  const size = fields.reduce((total, field) => total + field.length, 4);
  return Buffer.concat([uint32(size), ...fields]);
}

function withoutPayload(answer: () => Buffer): PacketHandler {
  return (request) => (request.length === 0 ? answer() : undefined);
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

function uint64(...values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(value, 8 * index);
  return bytes;
}
