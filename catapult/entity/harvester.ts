import { RECEIPT_TYPE } from "../structs/type-names.js";
import type { Block, TransactionStatement } from "./model.js";
import type { Body, EntityHeader } from "./transaction-entity.js";

const UNLINK = 0;

/** A transaction as far as it links and unlinks remote accounts. */
interface Part {
  readonly signerAddress: Buffer;
  readonly entity:
    | Pick<Body<"account_key_link">, "kind" | "linkedPublicKey" | "linkAction">
    | { readonly kind: Exclude<EntityHeader["kind"], "account_key_link"> };
}

/** A block as far as it says who harvested it. */
export interface HarvestedBlock extends Pick<Block, "signerPublicKey" | "signerAddress"> {
  readonly transactions: readonly (Part & { readonly embedded: readonly Part[] })[];
  readonly statement: {
    readonly transactionStatements: readonly Pick<TransactionStatement, "source" | "receipts">[];
  };
}

/**
 * The address (24 bytes) of the main account that harvested a block: its own key signed it, or that of the remote account
 * that was linked to it when the block was signed. The first of a block's harvest fees is paid to the main account, but as
 * of the end of the block: a transaction of the block may have unlinked it, and another one linked the key again. Without
 * receipts, on a network that writes none, it is the account of the signing key. Source: catapult's
 * `observers/HarvestFeeObserver`; blocks are executed after their transactions.
 */
export function findHarvester(block: HarvestedBlock): Buffer {
  return mainAccountUnlinkedIn(block) ?? firstPaidIn(block) ?? block.signerAddress;
}

/** Who unlinks the key of the block in the block: the first of them was linked to it when the block was signed. */
function mainAccountUnlinkedIn({ transactions, signerPublicKey }: HarvestedBlock): Buffer | undefined {
  const isUnlink = ({ entity }: Part) =>
    entity.kind === "account_key_link" &&
    entity.linkAction === UNLINK &&
    entity.linkedPublicKey.equals(signerPublicKey);
  for (const transaction of transactions) {
    const found = isUnlink(transaction) ? transaction : transaction.embedded.find(isUnlink);
    if (found) return found.signerAddress;
  }
  return undefined;
}

function firstPaidIn({ statement }: HarvestedBlock): Buffer | undefined {
  const ofBlock = statement.transactionStatements.find(({ source }) => source.primaryId === 0);
  for (const receipt of ofBlock?.receipts ?? []) {
    if (receipt.type === RECEIPT_TYPE.harvest_fee && receipt.kind === "balanceChange") return receipt.targetAddress;
  }
  return undefined;
}
