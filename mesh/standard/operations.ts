import { addressOfPublicKey, isAliasAddress } from "../../catapult/entity/address.js";
import type { MovementCause } from "../../catapult/state/balance-movements.js";
import { isKnownTransactionType, TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import type { JsonText } from "../../schema/graph/scalars.js";
import { buildAccount, buildAmount, knownDecimals } from "./amounts.js";
import { messageMetadata } from "./message.js";
import type { NetworkFacts } from "./network.js";
import { EFFECTS, type OperationType } from "./operation-types.js";
import type { Operation, Transaction } from "./schemas.js";

/** The status of every operation of a block: a transaction of a block always succeeded. */
export const SUCCESS = "SUCCESS";
/** The same in catapult-rest. */
export const REFERENCE_SUCCESS = "success";
/** The status of operations of transactions that are in no block yet. */
export const PENDING = "PENDING";

/** Selection of movements. */
export const MOVEMENTS =
  "movements { cause embeddedIndex receiptType changes { address mosaicId divisibility change } }";
/** Selection of a transaction. */
export const TRANSACTION = `hash body(embedded: true) ${MOVEMENTS}`;

/** A movement as selected by {@link MOVEMENTS}. */
export interface MovementData {
  readonly cause: MovementCause;
  readonly embeddedIndex: number | null;
  readonly receiptType: number | null;
  readonly changes: readonly {
    readonly address: string;
    readonly mosaicId: string;
    /** Null while the state of the mosaic is unknown. */
    readonly divisibility: number | null;
    readonly change: string;
  }[];
}

/** A transaction as selected by {@link TRANSACTION}. */
export interface TransactionData {
  readonly hash: string;
  readonly body: JsonText;
  readonly movements: readonly MovementData[];
}

/** The fields of a REST body that operations and their metadata are made from. */
interface Fields {
  readonly type: number;
  readonly version: number;
  readonly network: number;
  readonly signerPublicKey: string;
  readonly size?: number;
  readonly signature?: string;
  readonly maxFee?: string;
  readonly deadline?: string;
  readonly message?: string;
  readonly recipientAddress?: string;
  readonly mosaics?: readonly unknown[];
  readonly transactions?: readonly { readonly transaction: Fields }[];
  readonly cosignatures?: readonly { readonly signerPublicKey: string }[];
}

/** Operations in order, each with its index. @param status undefined for transactions that are not signed yet */
class Operations {
  readonly list: Operation[] = [];
  readonly #network: NetworkFacts;
  readonly #status: string | undefined;

  constructor(network: NetworkFacts, status: string | undefined) {
    this.#network = network;
    this.#status = status;
  }

  /** The changes of one movement: all but the first are related to it. */
  addMovement(
    { cause, embeddedIndex, receiptType, changes }: MovementData,
    metadata: Operation["metadata"] = {},
  ): void {
    const first = this.list.length;
    for (const { address, mosaicId, divisibility, change } of changes) {
      this.#add(cause, {
        ...(this.list.length > first && { related_operations: [{ index: first }] }),
        account: buildAccount(address),
        amount: buildAmount(change, mosaicId, knownDecimals(mosaicId, divisibility), this.#network),
        metadata: {
          ...(embeddedIndex !== null && { embedded_index: embeddedIndex }),
          ...(receiptType !== null && { receipt_type: receiptType }),
          ...metadata,
        },
      });
    }
  }

  /** An operation of an account without an amount. */
  addEffect(type: OperationType, publicKey: string, metadata: Operation["metadata"] = {}): void {
    const address = addressOfPublicKey(Buffer.from(publicKey, "hex"), this.#network.addressPrefix);
    this.#add(type, { account: buildAccount(address), metadata: { public_key: publicKey, ...metadata } });
  }

  /** A transfer of its message only: amounts of 0 of the currency, as in requests for construction. */
  addTransferOfNothing(publicKey: string, recipient: Buffer, metadata: Operation["metadata"]): void {
    const { currency, addressPrefix } = this.#network;
    const sender = addressOfPublicKey(Buffer.from(publicKey, "hex"), addressPrefix);
    const first = this.list.length;
    const amount = { value: "0", currency };
    this.#add("transfer", { account: buildAccount(sender), amount, metadata });
    const related_operations = [{ index: first }];
    this.#add("transfer", { related_operations, account: buildAccount(recipient), amount, metadata });
  }

  #add(type: OperationType, { metadata, ...rest }: Omit<Operation, "operation_identifier" | "type">): void {
    this.list.push({
      operation_identifier: { index: this.list.length },
      type,
      ...(this.#status !== undefined && { status: this.#status }),
      ...rest,
      ...(metadata && Object.keys(metadata).length > 0 && { metadata }),
    });
  }
}

/**
 * A transaction of the standard: the operations of the transaction, or of each embedded one, in order; then those of
 * its cosigners, and last the fee.
 */
export function buildTransaction(data: TransactionData, network: NetworkFacts, status = SUCCESS): Transaction {
  const { transaction } = data.body.toJSON() as { readonly transaction: Fields };
  const { isLikeReference } = network;
  const movements = isLikeReference ? data.movements.filter((one) => !isOfReceipt(one)) : data.movements;
  const operations = buildOperations(transaction, movements, network, status);
  return {
    transaction_identifier: { hash: data.hash },
    operations: isLikeReference ? referenceForm(operations) : operations,
    metadata: {
      type: transaction.type,
      version: transaction.version,
      size: transaction.size,
      signer_public_key: transaction.signerPublicKey,
      max_fee: transaction.maxFee,
      deadline: transaction.deadline,
    },
  };
}

/**
 * The operations of a transaction.
 * @param fields its REST body, with embedded transactions
 * @param status undefined for a transaction that is not announced yet
 */
function buildOperations(
  fields: Fields,
  movements: readonly MovementData[],
  network: NetworkFacts,
  status: string | undefined,
): Operation[] {
  const operations = new Operations(network, status);
  const parts = [fields, ...(fields.transactions ?? []).map(({ transaction }) => transaction)];
  for (const [position, part] of parts.entries()) {
    const embeddedIndex = position === 0 ? null : position - 1;
    const own = movements.filter((one) => one.cause !== "fee" && one.embeddedIndex === embeddedIndex);
    for (const movement of own)
      operations.addMovement(movement, movement.cause === "transfer" ? buildMessage(part) : {});
    addEffectOf(operations, part, own, embeddedIndex);
  }
  for (const movement of movements) {
    if (movement.embeddedIndex !== null && movement.embeddedIndex >= parts.length - 1) operations.addMovement(movement);
  }
  for (const signerPublicKey of cosignersOf(fields)) operations.addEffect("cosign", signerPublicKey);
  for (const movement of movements) if (movement.cause === "fee") operations.addMovement(movement);
  return operations.list;
}

function buildMessage({ message = "" }: Fields): Operation["metadata"] {
  return { ...messageMetadata(Buffer.from(message, "hex")) };
}

/**
 * The accounts that sign an aggregate, its signer first; none if its signer is the only one, and signs for itself: so
 * they are in requests for construction.
 */
function cosignersOf({ signerPublicKey, transactions = [], cosignatures = [] }: Fields): readonly string[] {
  const senders = transactions.map(({ transaction }) => transaction.signerPublicKey);
  const isAlone = cosignatures.length === 0 && senders.every((sender) => sender === signerPublicKey);
  return isAlone ? [] : [signerPublicKey, ...cosignatures.map((one) => one.signerPublicKey)];
}

function addEffectOf(
  operations: Operations,
  part: Fields,
  movements: readonly MovementData[],
  embeddedIndex: number | null,
): void {
  const { type, version, network, signerPublicKey, size, signature, maxFee, deadline, ...content } = part;
  const position = embeddedIndex === null ? {} : { embedded_index: embeddedIndex };
  const effect = isKnownTransactionType(type) ? EFFECTS.get(type) : "unknown";
  if (effect) operations.addEffect(effect, signerPublicKey, { ...position, ...content });
  if (type === TRANSACTION_TYPE.transfer && movements.length === 0) {
    const recipient = Buffer.from(String(part.recipientAddress), "hex");
    if (part.mosaics?.length === 0 && !isAliasAddress(recipient)) {
      operations.addTransferOfNothing(signerPublicKey, recipient, { ...position, ...buildMessage(part) });
    } else {
      operations.addEffect("transfer", signerPublicKey, { ...position, ...content });
    }
  }
}

/** Whether a receipt states the movement: in catapult-rest it belongs to the transaction of the block. */
export function isOfReceipt({ receiptType }: MovementData): boolean {
  return receiptType !== null;
}

/**
 * Operations as catapult-rest has them (`plugins/rosetta/symbol/OperationParser.js`): all movements of balances are
 * transfers, amounts of 0 are omitted, and the status is in lower case.
 */
function referenceForm(operations: readonly Operation[]): Operation[] {
  const kept = operations.filter(({ amount }) => amount?.value !== "0");
  const positions = new Map(kept.map(({ operation_identifier: { index } }, position) => [index, position]));
  return kept.map(({ related_operations: related, ...operation }, index) => ({
    ...operation,
    operation_identifier: { index },
    type: operation.amount ? "transfer" : operation.type,
    ...(operation.status === SUCCESS && { status: REFERENCE_SUCCESS }),
    ...(related && { related_operations: related.map((one) => ({ index: positions.get(one.index) ?? index })) }),
  }));
}

/** The transaction for what a block does to balances besides its transactions; its identifier is the block's hash. */
export function buildBlockTransaction(
  hash: string,
  movements: readonly MovementData[],
  network: NetworkFacts,
): Transaction {
  const operations = new Operations(network, SUCCESS);
  for (const movement of movements) operations.addMovement(movement);
  const { list } = operations;
  return { transaction_identifier: { hash }, operations: network.isLikeReference ? referenceForm(list) : list };
}
