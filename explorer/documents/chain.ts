// The chain as a whole, for the first page, the search and the page of the network.

import { BLOCK_ROW, TOTAL, TRANSACTION_ROW } from "./rows.js";

/** Rows of the first page's lists. */
const ROWS = 10;

export const chain = {
  home: `{
    indexStatus { height finalizedHeight }
    blocks(page: { pageSize: ${ROWS} }) { data { ${BLOCK_ROW} } }
    transactions(page: { pageSize: ${ROWS} }) { data { ${TRANSACTION_ROW} } ${TOTAL} }
    unconfirmed: pendingTransactions(group: unconfirmed, page: { pageSize: ${ROWS} }) { ${TOTAL} }
    partial: pendingTransactions(group: partial, page: { pageSize: ${ROWS} }) { ${TOTAL} }
  }`,
  epoch: "{ network { epochAdjustment } }",
  currency: "{ currency { mosaicId divisibility } }",
  mosaicNames: "query ($id: ArtifactId!) { mosaic(id: $id) { names } }",
  network: "{ network { description identifier generationHashSeed } }",
  supply: "{ currency { mosaicId divisibility maxSupply totalSupply circulatingSupply } }",
  rents: `{
    transactionFees {
      averageFeeMultiplier medianFeeMultiplier lowestFeeMultiplier highestFeeMultiplier minFeeMultiplier
    }
    rentalFees {
      effectiveRootNamespaceRentalFeePerBlock effectiveChildNamespaceRentalFee effectiveMosaicRentalFee
    }
  }`,
  inflation: "{ inflation { startHeight rewardAmount block { timestamp } } indexStatus { height } }",
  configuration: "{ networkConfiguration { name properties { name value } } }",
  height: "{ indexStatus { height } }",
  harvesters: `query ($fromHeight: SafeInt!) {
    ranking(by: HARVESTED, first: 100, fromHeight: $fromHeight) { address names value count }
  }`,
  suggestions: `query ($text: String!) {
    search(text: $text) { kind key }
    namespacesByPrefix(prefix: $text, first: 8) { data { name namespace { alias { address mosaicId } } } }
  }`,
  search: "query ($text: String!) { search(text: $text) { kind key } }",
  namesWithPrefix: `query ($text: String!, $after: String) {
    namespacesByPrefix(prefix: $text, first: 20, after: $after) {
      data { name namespaceId } pageInfo { hasNextPage endCursor }
    }
  }`,
};
