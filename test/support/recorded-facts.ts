import { encodeAddress } from "../../catapult/entity/address.js";
import { BlockAliases } from "../../catapult/entity/block-aliases.js";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import type { EmbeddedEntity } from "../../catapult/entity/transaction-entity.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import type { RecordedChain } from "./recorded-chain.js";
import { recordedNode } from "./recorded-node.js";

/** A transaction of the recorded chain, top-level or embedded, decoded from its bytes. */
export interface Fact {
  readonly block: VerifiedBlock;
  /** Unix ms. */
  readonly time: number;
  readonly entity: EmbeddedEntity;
  /** Of the transaction, or of its aggregate; upper-case hex. */
  readonly hash: string;
  readonly signer: string;
  /** 24 bytes each: whom it concerns, an aggregate also those of its embedded transactions. */
  readonly addresses: readonly Buffer[];
  /** Atomic units; undefined for an embedded transaction. */
  readonly fee: bigint | undefined;
  /** Transferred mosaics by resolved id, upper-case hex. */
  readonly mosaics: ReadonlyMap<string, bigint>;
}

/** Every block of the recorded chain with its statement. */
export function recordedBlocks(chain: RecordedChain): VerifiedBlock[] {
  return recordedNode(chain).blocks.map(({ block, statement }) =>
    verifyBlock({ bytes: block, statementBytes: statement, network: chain.network, checkSignatures: false }),
  );
}

interface Part {
  readonly entity: EmbeddedEntity;
  readonly signerAddress: Buffer;
  readonly relatedAddresses: readonly Buffer[];
}

/** Every transaction of some blocks, in the order of the chain. */
export function factsOf(blocks: readonly VerifiedBlock[], epochMs: number): Fact[] {
  return blocks.flatMap((block) => {
    const aliases = new BlockAliases(block);
    return block.transactions.flatMap((transaction) => {
      const common = { block, time: epochMs + block.timestamp, hash: upperHex(transaction.hash) };
      const factOf = (
        { entity, signerAddress: signer, relatedAddresses: addresses }: Part,
        secondaryId: number,
      ): Fact => ({
        ...common,
        entity,
        addresses,
        signer: encodeAddress(signer),
        fee: secondaryId === 0 ? BigInt(transaction.bytes.length) * BigInt(block.feeMultiplier) : undefined,
        mosaics: mosaicsOf(entity, (id) => aliases.mosaic(id, { primaryId: transaction.index + 1, secondaryId })),
      });
      return [factOf(transaction, 0), ...transaction.embedded.map((embedded) => factOf(embedded, embedded.index + 1))];
    });
  });
}

function mosaicsOf(entity: EmbeddedEntity, resolve: (id: bigint) => bigint): Map<string, bigint> {
  const amounts = new Map<string, bigint>();
  if (entity.kind !== "transfer") return amounts;
  for (const { mosaicId, amount } of entity.mosaics) {
    const id = resolve(mosaicId).toString(16).toUpperCase().padStart(16, "0");
    amounts.set(id, (amounts.get(id) ?? 0n) + amount);
  }
  return amounts;
}

export const upperHex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

/** The plain text of a transfer's message, as wallets write it: a byte 0 and UTF-8. */
export function messageOf(entity: EmbeddedEntity): string | undefined {
  if (entity.kind !== "transfer" || entity.message.length === 0 || entity.message[0] !== 0) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(entity.message.subarray(1));
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
