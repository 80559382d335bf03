import { BlockAliases } from "../entity/block-aliases.js";
import type { MosaicAmount } from "../entity/entity-fields.js";
import type { BlockTransaction, EmbeddedTransaction, ReceiptSource, VerifiedBlock } from "../entity/model.js";
import { RECEIPT_TYPE } from "../entity/receipt.js";

/** Change of one account's balance of one mosaic in a block. */
export interface BalanceChange {
  /** 24 bytes. */
  readonly address: Buffer;
  readonly mosaicId: bigint;
  /** Atomic units, never 0: received minus sent. */
  readonly change: bigint;
}

/**
 * The upper 4 bits of a receipt's type determine the direction of its amount. Source: catapult's `model/ReceiptType`.
 */
const DEBIT = 3;
/** The action of a supply increase; any other value decreases the supply. */
const INCREASE = 1;

/**
 * The balance changes of a block, per account and mosaic: transfers, fees, changes and revocations of supply from its
 * transactions; fees for harvesting and renting, and amounts locked and released, from its receipts. The sum over all
 * blocks up to a height is the balance at that height, unless there are transactions of an unknown type or version:
 * of these only fees and receipts count. Without receipts, on a network that writes none, fees are unknown.
 */
export function balanceChanges(block: VerifiedBlock): BalanceChange[] {
  const ledger = new BlockLedger(block);
  for (const transaction of block.transactions) {
    ledger.payFee(transaction);
    ledger.execute(transaction, transaction);
    for (const embedded of transaction.embedded) ledger.execute(embedded, transaction, embedded);
  }
  ledger.addReceipts();
  return ledger.changes();
}

class BlockLedger {
  readonly #block: VerifiedBlock;
  readonly #aliases: BlockAliases;
  readonly #sums: { readonly address: Buffer; readonly mosaicId: bigint; change: bigint }[] = [];
  /** Places in `#sums` by mosaic and address, whose text has a character per byte. */
  readonly #places = new Map<bigint, Map<string, number>>();

  constructor(block: VerifiedBlock) {
    this.#block = block;
    this.#aliases = new BlockAliases(block);
  }

  changes(): BalanceChange[] {
    return this.#sums.filter(({ change }) => change !== 0n);
  }

  payFee({ bytes, signerAddress }: BlockTransaction): void {
    const fee = BigInt(bytes.length) * BigInt(this.#block.feeMultiplier);
    const currency = fee > 0n ? this.#currency() : undefined;
    if (currency !== undefined) this.#add(signerAddress, currency, -fee);
  }

  execute(
    { entity, signerAddress }: BlockTransaction | EmbeddedTransaction,
    transaction: BlockTransaction,
    embedded?: EmbeddedTransaction,
  ): void {
    const source = { primaryId: transaction.index + 1, secondaryId: embedded ? embedded.index + 1 : 0 };
    if (entity.kind === "transfer") {
      const recipient = this.#aliases.address(entity.recipientAddress, source);
      for (const mosaic of entity.mosaics) this.#transfer(signerAddress, recipient, mosaic, source);
    } else if (entity.kind === "mosaicSupplyRevocation") {
      const holder = this.#aliases.address(entity.sourceAddress, source);
      this.#transfer(holder, signerAddress, entity.mosaic, source);
    } else if (entity.kind === "mosaicSupplyChange") {
      const { delta, action, mosaicId } = entity;
      this.#add(signerAddress, this.#aliases.mosaic(mosaicId, source), action === INCREASE ? delta : -delta);
    }
  }

  addReceipts(): void {
    for (const { receipts } of this.#block.statement.transactionStatements) {
      for (const receipt of receipts) {
        if (receipt.kind === "balanceTransfer") {
          this.#add(receipt.senderAddress, receipt.mosaicId, -receipt.amount);
          this.#add(receipt.recipientAddress, receipt.mosaicId, receipt.amount);
        } else if (receipt.kind === "balanceChange") {
          const isDebit = receipt.type >> 12 === DEBIT;
          this.#add(receipt.targetAddress, receipt.mosaicId, isDebit ? -receipt.amount : receipt.amount);
        }
      }
    }
  }

  #transfer(from: Buffer, to: Buffer, { mosaicId, amount }: MosaicAmount, source: ReceiptSource): void {
    const mosaic = this.#aliases.mosaic(mosaicId, source);
    this.#add(from, mosaic, -amount);
    this.#add(to, mosaic, amount);
  }

  #add(address: Buffer, mosaicId: bigint, amount: bigint): void {
    let places = this.#places.get(mosaicId);
    if (!places) {
      places = new Map();
      this.#places.set(mosaicId, places);
    }
    const name = address.toString("latin1");
    const place = places.get(name);
    if (place === undefined) {
      places.set(name, this.#sums.length);
      this.#sums.push({ address, mosaicId, change: amount });
    } else (this.#sums[place] as { change: bigint }).change += amount;
  }

  /** The currency of fees: that of the harvest receipt. Undefined if there is no receipt. */
  #currency(): bigint | undefined {
    for (const { receipts } of this.#block.statement.transactionStatements) {
      for (const receipt of receipts) {
        if (receipt.type === RECEIPT_TYPE.harvestFee && "mosaicId" in receipt) return receipt.mosaicId;
      }
    }
    return undefined;
  }
}
