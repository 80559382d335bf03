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
    accounts(first: 1) { ${TOTAL} }
    recent: blocks(page: { pageSize: 100 }) { data { height timestamp feeMultiplier signerPublicKey } }
  }`,
  dayOfHome: `query ($from: Time!) { transactions(fromTime: $from, first: 1) { ${TOTAL} } }`,
  daysOfHome: `query ($from: SafeInt!, $seconds: Int!) {
    activity(intervalSeconds: $seconds, fromTimestamp: $from) { timestamp transactions blocks }
  }`,
  days: `query ($from: SafeInt!, $seconds: Int!) {
    activity(intervalSeconds: $seconds, fromTimestamp: $from) {
      timestamp firstHeight lastHeight blocks transactions totalTransactions transfers fees newAccounts
    }
  }`,
  activeAccounts: `query ($from: SafeInt!, $seconds: Int!) {
    activity(intervalSeconds: $seconds, fromTimestamp: $from) { timestamp activeAccounts }
  }`,
  harvestersByDay: `query ($from: SafeInt!, $seconds: Int!) {
    activity(intervalSeconds: $seconds, fromTimestamp: $from) { timestamp harvesters }
  }`,
  shares:
    "query ($fromTime: Time!) { ranking(by: HARVESTED, first: 100, fromTime: $fromTime) { address names value count } }",
  pendingCounts: `{
    unconfirmed: pendingTransactions(group: unconfirmed, page: { pageSize: ${ROWS} }) { ${TOTAL} }
    partial: pendingTransactions(group: partial, page: { pageSize: ${ROWS} }) { ${TOTAL} }
  }`,
  namesOf: "query ($id: Address!) { account(address: $id) { address names } }",
  namesOfKey: "query ($id: PublicKey!) { account(publicKey: $id) { address names } }",
  namespaceNames: "query ($id: ArtifactId!) { namespace(id: $id) { name } }",
  networkName: "{ network { uniqueName } }",
  totalImportance: "{ network { totalImportance } }",
  epoch: "{ network { epochAdjustment } second: block(height: 2) { timestamp } }",
  currency: "{ currency { mosaicId divisibility } }",
  mosaicNames: "query ($id: ArtifactId!) { mosaic(id: $id) { names divisibility } }",
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
  newestBlock: "{ blocks(first: 1) { data { timestamp } } }",
  heightAt: "query ($time: Time!) { heightRange(toTime: $time) { toHeight } }",
  harvesters: `query ($fromHeight: SafeInt!) {
    ranking(by: HARVESTED, first: 100, fromHeight: $fromHeight) { address names value count }
  }`,
  suggestions: `query ($text: String!) {
    search(text: $text) { kind key }
    namespacesByPrefix(prefix: $text, first: 20) { data { name namespace { alias { address mosaicId } } } }
  }`,
  search: "query ($text: String!) { search(text: $text) { kind key } }",
};
