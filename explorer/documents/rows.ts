// Fields of rows, as several documents ask them.

/** The newest block of the index: `indexStatus` would also ask the node. */
export const HEAD = "head: chain { height latestFinalizedBlock { height } }";

/** Of `Block`. */
export const BLOCK_ROW = `
  height hash timestamp transactionsCount totalFee feeMultiplier size isFinalized signerPublicKey
  harvester { address names }`;

/** Of any transaction, confirmed, pending or inside another one. */
export const TRANSACTION = `
  id hash type typeName signerPublicKey signer { address names } recipientAddress recipient { address names }
  mosaics { amount id mosaic { divisibility names } } body`;

/** Of `Transaction`. */
export const TRANSACTION_ROW = `${TRANSACTION} height index timestamp fee aggregate { hash }`;

/** Of `Transaction`: what it did to balances. */
export const MOVEMENTS =
  "movements { cause embeddedIndex changes { address account { names } mosaicId mosaic { divisibility names } change } }";

/** Of `TransactionStatement`. */
export const STATEMENT_ROW = `source { primaryId secondaryId } receipts {
    type typeName amount mosaicId artifactId mosaic { divisibility names }
    sender { address names } recipient { address names } target { address names }
  }`;

/** Of `Metadata`. */
export const METADATA_ROW = `
  compositeHash scopedMetadataKey text value source { address names } sourceAddress
  metadataType targetId targetAddress target { names } mosaic { names } namespace { name }`;

/** Of a page by cursor. */
export const CURSORS = "pageInfo { hasNextPage endCursor }";
/** Of a page by number, and of one by cursor whose total is shown. */
export const TOTAL = "pagination { totalEntries }";
