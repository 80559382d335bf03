import { isAliasAddress, isAliasMosaic } from "../entity/address.js";
import { computeFee } from "../entity/block.js";
import type { ReceiptSource, TransactionStatement } from "../entity/model.js";
import type { Body, EntityHeader } from "../entity/transaction-entity.js";
import type { MosaicAmount } from "../structs/nested-structs.js";
import type { Receipt } from "../structs/receipt.js";
import { RECEIPT_TYPE } from "../structs/type-names.js";

/** What moves a balance. The causes after `mosaic_supply_revocation` are receipts, `receipt` those of an unknown type. */
export const MOVEMENT_CAUSES = [
  "transfer",
  "fee",
  "mosaic_supply_change",
  "mosaic_supply_revocation",
  "harvest_fee",
  "mosaic_rental_fee",
  "namespace_rental_fee",
  "hash_lock_created",
  "hash_lock_completed",
  "hash_lock_expired",
  "secret_lock_created",
  "secret_lock_completed",
  "secret_lock_expired",
  "receipt",
] as const;

export type MovementCause = (typeof MOVEMENT_CAUSES)[number];
type ReceiptCause = Extract<MovementCause, keyof typeof RECEIPT_TYPE>;

/** A change of one account's balance of one mosaic. */
export interface BalanceChange {
  /** 24 bytes. */
  readonly address: Buffer;
  readonly mosaicId: bigint;
  /** Atomic units: received minus sent; never 0 in a movement. */
  readonly change: bigint;
}

/** What one cause does to balances: a debit and a credit of the same amount, or one of them. */
export interface BalanceMovement {
  readonly cause: MovementCause;
  readonly source: ReceiptSource;
  /** The type of the receipt; undefined for what follows from a transaction itself. */
  readonly receiptType: number | undefined;
  readonly changes: readonly BalanceChange[];
  /** The message of a transfer, as in the transaction; undefined if it has none, and for other causes. */
  readonly message?: Buffer | undefined;
}

/** The fields of a transaction that say what it moves by itself. */
export type MovingEntity =
  | Pick<Body<"transfer">, "kind" | "recipientAddress" | "mosaics" | "message">
  | Pick<Body<"mosaic_supply_revocation">, "kind" | "sourceAddress" | "mosaicId" | "amount">
  | Pick<Body<"mosaic_supply_change">, "kind" | "mosaicId" | "delta" | "action">
  | { readonly kind: Exclude<EntityHeader["kind"], "transfer" | "mosaic_supply_revocation" | "mosaic_supply_change"> };

/** A transaction without those embedded in it. */
interface MovingPart {
  /** In the block or in the aggregate, from 0. */
  readonly index: number;
  readonly entity: MovingEntity;
  readonly signerAddress: Buffer;
}

/** A transaction as far as it moves balances. */
export interface MovingTransaction extends MovingPart {
  readonly embedded: readonly MovingPart[];
}

/** Resolves what a transaction names at a place of its block: what is no alias is returned as it is. */
export interface Aliases {
  address(unresolved: Buffer, source: ReceiptSource): Buffer;
  mosaic(unresolved: bigint, source: ReceiptSource): bigint;
}

/** What the movements of a transaction depend on besides its bytes. */
export interface MovementContext {
  /** Atomic units of the currency; undefined where fees are unknown. */
  readonly fee: { readonly mosaicId: bigint; readonly amount: bigint } | undefined;
  /** The targets of aliases, by the place where they are used. */
  readonly aliases: Aliases;
  /** The statements of the transaction and of those embedded in it, in the order of the block. */
  readonly statements: readonly TransactionStatement[];
}

/** Receipts by type. */
const CAUSES: ReadonlyMap<number, MovementCause> = new Map(
  MOVEMENT_CAUSES.flatMap((cause) =>
    cause in RECEIPT_TYPE ? [[RECEIPT_TYPE[cause as ReceiptCause], cause] as const] : [],
  ),
);

/**
 * The upper 4 bits of a receipt's type determine the direction of its amount. Source: catapult's `model/ReceiptType`.
 */
const DEBIT = 3;
/** The action of a supply increase; any other value decreases the supply. */
const INCREASE = 1;

/**
 * The movements of a transaction: of itself or of each embedded transaction, in order, each followed by its receipts;
 * the fee comes last. Transactions of an unknown type or version move nothing but the fee, and what receipts say.
 */
export function movementsOfTransaction(transaction: MovingTransaction, context: MovementContext): BalanceMovement[] {
  const { aliases, statements, fee } = context;
  const movements: BalanceMovement[] = [];
  const primaryId = transaction.index + 1;
  const add = (one: MovingPart, secondaryId: number) => {
    const source = { primaryId, secondaryId };
    addExecution(movements, one, source, aliases);
    for (const statement of statements) {
      if (statement.source.secondaryId === secondaryId) addReceipts(movements, statement);
    }
  };
  add(transaction, 0);
  for (const embedded of transaction.embedded) add(embedded, embedded.index + 1);
  // An aggregate of an unknown version is not decoded, but has receipts of what is embedded in it.
  for (const statement of statements) {
    if (statement.source.secondaryId > transaction.embedded.length) addReceipts(movements, statement);
  }
  if (fee) {
    const changes = [{ address: transaction.signerAddress, mosaicId: fee.mosaicId, change: -fee.amount }];
    addMovement(movements, "fee", { primaryId, secondaryId: 0 }, changes);
  }
  return movements;
}

/** The movements in receipts. Those of a block itself are fees for harvesting and amounts of expired locks. */
export function movementsOfStatements(statements: readonly TransactionStatement[]): BalanceMovement[] {
  const movements: BalanceMovement[] = [];
  for (const statement of statements) addReceipts(movements, statement);
  return movements;
}

/** The aliases that a transaction names: unresolved addresses (24 bytes), and namespace ids in place of mosaic ids. */
export interface NamedAliases {
  readonly addresses: readonly Buffer[];
  readonly mosaics: readonly bigint[];
}

/** Finds the aliases that the movements of transactions depend on. */
export function aliasesIn(transactions: readonly MovingTransaction[]): NamedAliases {
  const addresses = new Map<string, Buffer>();
  const mosaics = new Set<bigint>();
  const aliases = {
    address: (address: Buffer) => {
      if (isAliasAddress(address)) addresses.set(address.toString("latin1"), address);
      return address;
    },
    mosaic: (mosaicId: bigint) => {
      if (isAliasMosaic(mosaicId)) mosaics.add(mosaicId);
      return mosaicId;
    },
  };
  for (const one of transactions) movementsOfTransaction(one, { fee: undefined, aliases, statements: [] });
  return { addresses: [...addresses.values()], mosaics: [...mosaics] };
}

/** The currency of fees: that of the harvest receipt. Undefined if there is no receipt. */
export function feeMosaicId(statements: readonly TransactionStatement[]): bigint | undefined {
  for (const { receipts } of statements) {
    for (const receipt of receipts) {
      if (receipt.type === RECEIPT_TYPE.harvest_fee && "mosaicId" in receipt) return receipt.mosaicId;
    }
  }
  return undefined;
}

/** The fee of a transaction in a currency; undefined where that is unknown. */
export function feeIn(mosaicId: bigint | undefined, size: number, feeMultiplier: number): MovementContext["fee"] {
  return mosaicId === undefined ? undefined : { mosaicId, amount: computeFee(size, feeMultiplier) };
}

function addExecution(
  movements: BalanceMovement[],
  { entity, signerAddress }: MovingPart,
  source: ReceiptSource,
  aliases: Aliases,
): void {
  const makeTransfer = (from: Buffer, to: Buffer, { mosaicId, amount }: MosaicAmount) =>
    transfer(from, to, aliases.mosaic(mosaicId, source), amount);
  if (entity.kind === "transfer") {
    const recipient = aliases.address(entity.recipientAddress, source);
    const message = entity.message.length > 0 ? entity.message : undefined;
    for (const mosaic of entity.mosaics)
      addMovement(movements, "transfer", source, makeTransfer(signerAddress, recipient, mosaic), { message });
  } else if (entity.kind === "mosaic_supply_revocation") {
    const holder = aliases.address(entity.sourceAddress, source);
    addMovement(movements, entity.kind, source, makeTransfer(holder, signerAddress, entity));
  } else if (entity.kind === "mosaic_supply_change") {
    const { delta, action, mosaicId: unresolved } = entity;
    const mosaicId = aliases.mosaic(unresolved, source);
    const change = action === INCREASE ? delta : -delta;
    addMovement(movements, entity.kind, source, [{ address: signerAddress, mosaicId, change }]);
  }
}

function addReceipts(movements: BalanceMovement[], { source, receipts }: TransactionStatement): void {
  for (const receipt of receipts) {
    const changes = changesOfReceipt(receipt);
    addMovement(movements, CAUSES.get(receipt.type) ?? "receipt", source, changes, { receiptType: receipt.type });
  }
}

function changesOfReceipt(receipt: Receipt): BalanceChange[] {
  if (receipt.kind === "balanceTransfer")
    return transfer(receipt.senderAddress, receipt.recipientAddress, receipt.mosaicId, receipt.amount);
  if (receipt.kind !== "balanceChange") return [];
  const { type, targetAddress: address, mosaicId, amount } = receipt;
  return [{ address, mosaicId, change: type >> 12 === DEBIT ? -amount : amount }];
}

function transfer(from: Buffer, to: Buffer, mosaicId: bigint, amount: bigint): BalanceChange[] {
  return [
    { address: from, mosaicId, change: -amount },
    { address: to, mosaicId, change: amount },
  ];
}

/** What moves nothing is left out. */
function addMovement(
  movements: BalanceMovement[],
  cause: MovementCause,
  source: ReceiptSource,
  changes: readonly BalanceChange[],
  { receiptType, message }: { readonly receiptType?: number; readonly message?: Buffer | undefined } = {},
): void {
  const [first] = changes;
  if (first && first.change !== 0n) movements.push({ cause, source, receiptType, changes, message });
}
