import {
  aggregateContent,
  embeddedBytes,
  hashLockContent,
  type TransactionContent,
  transferContent,
  unsignedTransaction,
} from "../../catapult/entity/transaction-writer.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import {
  type AggregateKind,
  type HashLockIntent,
  listSigners,
  selectAggregateKind,
  type Transfer,
  type TransfersIntent,
} from "./intent.js";
import type { KeyOf } from "./public-keys.js";

/** What a transaction has besides what its operations say. */
export interface BuildTerms {
  /** Atomic units of the currency. */
  readonly maxFee: bigint;
  /** The deadline, in ms since the network's epoch. */
  readonly deadline: bigint;
  /** Requested kind of aggregate. */
  readonly aggregate?: AggregateKind | undefined;
  /** Version of aggregates that the network allows. */
  readonly aggregateVersion: number;
}

/** Public keys by address, and the network byte. */
export interface BuildContext {
  readonly keyOf: KeyOf;
  readonly network: number;
}

const NO_SIGNATURE = Buffer.alloc(64);

/**
 * The bytes of a transaction, with zeros in place of its signature and of its cosignatures.
 * @throws MeshError missingPublicKey
 */
export function buildTransaction(
  intent: TransfersIntent | HashLockIntent,
  { maxFee, deadline, aggregate, aggregateVersion }: BuildTerms,
  { keyOf, network }: BuildContext,
): Buffer {
  const [signer] = listSigners(intent);
  if (!signer) throw new Error("a transaction has a signer");
  const content =
    intent.kind === "hashLock"
      ? hashLockContent(intent.mosaic, intent.duration, intent.aggregateHash)
      : transfersContent(intent, selectAggregateKind(intent, aggregate), aggregateVersion, { keyOf, network });
  return unsignedTransaction(content, { network, signerPublicKey: keyOf(signer), maxFee, deadline });
}

function transfersContent(
  intent: TransfersIntent,
  kind: AggregateKind | undefined,
  version: number,
  { keyOf, network }: BuildContext,
): TransactionContent {
  const [first] = intent.transfers;
  if (kind === undefined && first) return contentOf(first);
  const embedded = intent.transfers.map((one) => embeddedBytes(contentOf(one), keyOf(one.sender), network));
  const cosignatures = listSigners(intent)
    .slice(1)
    .map((cosigner) => ({ version: 0n, signerPublicKey: keyOf(cosigner), signature: NO_SIGNATURE }));
  const type = kind === "bonded" ? TRANSACTION_TYPE.aggregate_bonded : TRANSACTION_TYPE.aggregate_complete;
  return aggregateContent({ type, version }, embedded, cosignatures);
}

function contentOf({ recipient, mosaics, message }: Transfer): TransactionContent {
  return transferContent(recipient, mosaics, message);
}

/** Any key does to know a size. */
const ANY_KEY = Buffer.alloc(32);

/** The size of the transaction in bytes, which its fee depends on. */
export function sizeOfTransaction(
  intent: TransfersIntent | HashLockIntent,
  aggregate: AggregateKind | undefined,
): number {
  const terms = { maxFee: 0n, deadline: 0n, aggregate, aggregateVersion: 1 };
  return buildTransaction(intent, terms, { keyOf: () => ANY_KEY, network: 0 }).length;
}
