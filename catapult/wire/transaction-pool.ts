import { COSIGNATURE } from "../entity/entity-layout.js";
import { sha3 } from "../entity/hashes.js";
import { PacketType } from "./packet-type.js";
import type { PayloadReader } from "./payload-reader.js";
import { type NodeRequest, splitEntities, uint32, uint64 } from "./requests.js";

/** Filter of unconfirmed transactions; all by default. */
export interface UnconfirmedFilter {
  /** Lowest deadline, in ms since the network's epoch. */
  readonly minDeadline?: number;
  readonly minFeeMultiplier?: number;
  /** First 4 bytes of the hashes of known transactions that need not be sent. */
  readonly knownShortHashes?: readonly Buffer[];
}

/** A partial aggregate. */
export interface PartialTransaction {
  readonly transaction: Buffer;
  /** 104 bytes each: version (8), public key (32), signature (64). */
  readonly cosignatures: readonly Buffer[];
}

/** Largest accepted part of a pool, in bytes: nodes send 5 MB by default. */
export const POOL_ANSWER = 8 * 1024 * 1024;
const TRANSACTION_MIN_SIZE = 128;
/** With the hash of its aggregate. */
const DETACHED_SIZE = COSIGNATURE.size + 32;
const HAS_TRANSACTION = 0x8000;

/** Transactions in the node's pool, concatenated. The node truncates the response at its own limit. */
export function unconfirmedTransactionsRequest(filter: UnconfirmedFilter = {}): NodeRequest<Buffer[]> {
  const known = filter.knownShortHashes ?? [];
  for (const hash of known) {
    if (hash.length !== 4) throw new RangeError(`a short hash must have 4 bytes, not ${hash.length}`);
  }
  return {
    name: "unconfirmed transactions",
    type: PacketType.pullTransactions,
    payload: Buffer.concat([
      uint64(filter.minDeadline ?? 0, "minDeadline"),
      uint32(filter.minFeeMultiplier ?? 0, "minFeeMultiplier"),
      ...known,
    ]),
    maxAnswerSize: POOL_ANSWER,
    decode: (reader) => splitEntities(reader, TRANSACTION_MIN_SIZE, (index) => `transactions[${index}]`),
  };
}

/** Filter of partial aggregates; all by default. */
export interface PartialFilter {
  /** Lowest deadline, in ms since the network's epoch. */
  readonly minDeadline?: number;
  /** Known aggregates: they are not sent, unless their cosignatures have changed. */
  readonly known?: readonly KnownPartialTransaction[];
}

/** Identifies a known aggregate with its known cosignatures. */
export interface KnownPartialTransaction {
  /** Hash of the aggregate, 32 bytes. */
  readonly hash: Buffer;
  /** The cosignatures as received from the node. */
  readonly cosignatures: readonly Buffer[];
}

/**
 * Partial aggregates with their current cosignatures. The node truncates the response at its own limit. Source:
 * `partialtransaction/src/handlers/PtHandlers.cpp`, `cache_tx/MemoryPtCache.cpp`.
 */
export function partialTransactionsRequest(filter: PartialFilter = {}): NodeRequest<PartialTransaction[]> {
  const known = filter.known ?? [];
  return {
    name: "partial transactions",
    type: PacketType.pullPartialTransactionInfos,
    payload: Buffer.concat([uint64(filter.minDeadline ?? 0, "minDeadline"), ...known.map(shortHashPair)]),
    maxAnswerSize: POOL_ANSWER,
    decode: (reader) => {
      const infos: (PartialTransaction | undefined)[] = [];
      while (reader.remaining > 0) {
        infos.push(readPartialTransaction(reader, `infos[${infos.length}]`, known.length > 0));
      }
      return infos.filter((info) => info !== undefined);
    },
  };
}

/** The first 4 bytes of the aggregate's hash, and of the hash over its cosignatures: zeros if there are none. */
function shortHashPair({ hash, cosignatures }: KnownPartialTransaction): Buffer {
  const cosignaturesHash = cosignatures.length > 0 ? sha3(...cosignatures) : Buffer.alloc(4);
  return Buffer.concat([hash.subarray(0, 4), cosignaturesHash.subarray(0, 4)]);
}

/** @returns undefined for one that is known, but with other cosignatures: the node refers to it by its hash */
function readPartialTransaction(
  reader: PayloadReader,
  name: string,
  mayBeKnown: boolean,
): PartialTransaction | undefined {
  const tag = reader.uint16(`${name}.tag`);
  reader.bytes(6, `${name}.padding`);
  const count = tag & ~HAS_TRANSACTION;
  const isWhole = (tag & HAS_TRANSACTION) !== 0;
  if (!isWhole && !mayBeKnown) throw reader.error(`${name}.tag`, "says that the transaction is omitted");
  const transaction = isWhole ? readPadded(reader, `${name}.transaction`) : reader.bytes(32, `${name}.hash`);
  const cosignatures: Buffer[] = [];
  while (cosignatures.length < count) {
    cosignatures.push(reader.bytes(COSIGNATURE.size, `${name}.cosignatures[${cosignatures.length}]`));
  }
  return isWhole ? { transaction, cosignatures } : undefined;
}

function readPadded(reader: PayloadReader, name: string): Buffer {
  const size = reader.peekUint32(`${name}.size`);
  if (size < TRANSACTION_MIN_SIZE) throw reader.error(`${name}.size`, `is ${size}`);
  const transaction = reader.bytes(size, name);
  reader.bytes((8 - (size % 8)) % 8, `${name}.padding`);
  return transaction;
}

/**
 * Rejects bytes that are not exactly one transaction, because a node silently drops a packet that it cannot split.
 * @throws RangeError naming its position
 */
export function checkTransactionPayload(payload: Buffer, index: number): void {
  const announced = payload.length < 4 ? 0 : payload.readUInt32LE();
  if (payload.length < TRANSACTION_MIN_SIZE || announced !== payload.length) {
    throw new RangeError(`transaction ${index} has ${payload.length} bytes, its size field says ${announced}`);
  }
}

/**
 * Rejects bytes that are not a detached cosignature: version (8), public key (32), signature (64), hash of the
 * aggregate (32).
 * @throws RangeError naming its position
 */
export function checkCosignaturePayload(payload: Buffer, index: number): void {
  if (payload.length !== DETACHED_SIZE) {
    throw new RangeError(`cosignature ${index} must have ${DETACHED_SIZE} bytes, not ${payload.length}`);
  }
}
