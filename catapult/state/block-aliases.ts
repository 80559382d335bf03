import { models } from "symbol-sdk/symbol";
import { namespaceIdOf } from "../address.js";
import type { VerifiedBlock } from "../model.js";

/**
 * The aliases that a block's own transactions link. A nemesis block may come without receipts (that of the public test
 * network does), and then nothing else says what its aliases stand for.
 */
export class BlockAliases {
  readonly #mosaics = new Map<bigint, bigint>();
  readonly #addresses = new Map<bigint, Buffer>();

  constructor(block: VerifiedBlock) {
    if (block.height !== 1) return;
    for (const { entity } of block.transactions) {
      if (entity instanceof models.MosaicAliasTransactionV1)
        this.#mosaics.set(BigInt(entity.namespaceId.value), BigInt(entity.mosaicId.value));
      else if (entity instanceof models.AddressAliasTransactionV1)
        this.#addresses.set(BigInt(entity.namespaceId.value), Buffer.from(entity.address.bytes));
    }
  }

  /** The mosaic that a namespace id stands for; undefined where the block links none. */
  mosaic(namespaceId: bigint): bigint | undefined {
    return this.#mosaics.get(namespaceId);
  }

  /** The account (24 bytes) that an alias address stands for; undefined where the block links none. */
  account(alias: Buffer): Buffer | undefined {
    return this.#addresses.get(namespaceIdOf(alias));
  }
}
