import { PacketType } from "./packet-type.js";
import type { PayloadReader } from "./payload-reader.js";
import { type NodeRequest, splitEntities, uint32, uint64 } from "./requests.js";

/** Which unconfirmed transactions to send. All, if nothing is given. */
export interface UnconfirmedFilter {
  /** Lowest deadline, in ms since the network's epoch. */
  readonly minDeadline?: number;
  readonly minFeeMultiplier?: number;
  /** First 4 bytes of the hashes of transactions that are known already and need not be sent. */
  readonly knownShortHashes?: readonly Buffer[];
}

/** An aggregate that waits for cosignatures. */
export interface PartialTransaction {
  readonly transaction: Buffer;
  /** 104 bytes each: version (8), public key (32), signature (64). */
  readonly cosignatures: readonly Buffer[];
}

const TRANSACTION_MIN_SIZE = 128;
const COSIGNATURE_SIZE = 104;
const DETACHED_COSIGNATURE_SIZE = 136;
const HAS_TRANSACTION = 0x8000;

/** Transactions in the node's pool, one behind another in the answer. The node cuts it at its own limit. */
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
    decode: (reader) => splitEntities(reader, TRANSACTION_MIN_SIZE, (index) => `transactions[${index}]`),
  };
}

/**
 * All aggregates that wait for cosignatures, with those that they have (`partialtransaction/src/handlers/PtHandlers.cpp`).
 * @param minDeadline in ms since the network's epoch
 */
export function partialTransactionsRequest(minDeadline = 0): NodeRequest<PartialTransaction[]> {
  return {
    name: "partial transactions",
    type: PacketType.pullPartialTransactionInfos,
    payload: uint64(minDeadline, "minDeadline"),
    decode: (reader) => {
      const infos: PartialTransaction[] = [];
      while (reader.remaining > 0) infos.push(readPartialTransaction(reader, `infos[${infos.length}]`));
      return infos;
    },
  };
}

function readPartialTransaction(reader: PayloadReader, name: string): PartialTransaction {
  const tag = reader.uint16(`${name}.tag`);
  reader.bytes(6, `${name}.padding`);
  // Without this bit the node would refer to a transaction that we said we know; we say of none.
  if ((tag & HAS_TRANSACTION) === 0) throw reader.error(`${name}.tag`, "says that the transaction is left out");
  const size = reader.peekUint32(`${name}.transaction.size`);
  if (size < TRANSACTION_MIN_SIZE) throw reader.error(`${name}.transaction.size`, `is ${size}`);
  const transaction = reader.bytes(size, `${name}.transaction`);
  reader.bytes((8 - (size % 8)) % 8, `${name}.transaction.padding`);
  const cosignatures: Buffer[] = [];
  const count = tag & ~HAS_TRANSACTION;
  while (cosignatures.length < count) {
    cosignatures.push(reader.bytes(COSIGNATURE_SIZE, `${name}.cosignatures[${cosignatures.length}]`));
  }
  return { transaction, cosignatures };
}

/**
 * Refuses what is no whole transaction, because a node drops a packet in silence when it cannot cut it.
 * @throws RangeError naming its position
 */
export function checkTransactionPayload(payload: Buffer, index: number): void {
  const announced = payload.length < 4 ? 0 : payload.readUInt32LE();
  if (payload.length < TRANSACTION_MIN_SIZE || announced !== payload.length) {
    throw new RangeError(`transaction ${index} has ${payload.length} bytes, its size field says ${announced}`);
  }
}

/**
 * Refuses what is no detached cosignature: version (8), public key (32), signature (64), hash of the aggregate (32).
 * @throws RangeError naming its position
 */
export function checkCosignaturePayload(payload: Buffer, index: number): void {
  if (payload.length !== DETACHED_COSIGNATURE_SIZE) {
    throw new RangeError(`cosignature ${index} must have ${DETACHED_COSIGNATURE_SIZE} bytes, not ${payload.length}`);
  }
}
