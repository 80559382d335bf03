// The chain as a whole, for the first page, the search and the page of the network.

import { BLOCK_ROW, HEAD, TOTAL, TRANSACTION_ROW } from "./rows.js";

/** Rows of the first page's lists. */
const ROWS = 10;
const PENDING_COUNTS = ["unconfirmed", "partial"]
  .map((group) => `${group}: pendingTransactions(group: ${group}, page: { pageSize: ${ROWS} }) { ${TOTAL} }`)
  .join(" ");
const byDay = (fields: string) => `query ($from: SafeInt!, $seconds: Int!) {
    activity(intervalSeconds: $seconds, fromTimestamp: $from) { timestamp ${fields} }
  }`;

export const chain = {
  home: `{
    ${HEAD}
    blocks(page: { pageSize: ${ROWS} }) { data { ${BLOCK_ROW} } }
    transactions(page: { pageSize: ${ROWS} }) { data { ${TRANSACTION_ROW} } ${TOTAL} }
    ${PENDING_COUNTS}
    accounts(first: 1) { ${TOTAL} }
    recent: blocks(page: { pageSize: 100 }) { data { height timestamp feeMultiplier signerPublicKey } }
  }`,
  dayOfHome: `query ($from: Time!) { transactions(fromTime: $from, first: 1) { ${TOTAL} } }`,
  daysOfHome: byDay("transactions blocks"),
  days: byDay("blocks transactions totalTransactions transfers fees newAccounts"),
  activeAccounts: byDay("activeAccounts"),
  harvestersByDay: byDay("harvesters"),
  shares:
    "query ($fromTime: Time!) { ranking(by: HARVESTED, first: 100, fromTime: $fromTime) { address names value count } }",
  pendingCounts: `{ ${PENDING_COUNTS} }`,
  accountNames: `query ($address: Address, $publicKey: PublicKey) {
    account(address: $address, publicKey: $publicKey) { address names }
  }`,
  namespaceNames: "query ($id: ArtifactId!) { namespace(id: $id) { name } }",
  networkName: "{ network { uniqueName } }",
  chain: `{
    network { epochAdjustment totalImportance } second: block(height: 2) { timestamp }
    currency { mosaicId divisibility name }
  }`,
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
  inflation: `{ inflation { startHeight rewardAmount block { timestamp } } ${HEAD} }`,
  configuration: "{ networkConfiguration { name properties { name value } } }",
  height: `{ ${HEAD} }`,
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
