// The chain as a whole, for the first page, the charts and the page of the network.

const SHORT_ROW = "hash type signerPublicKey signer { address names }";
/** Blocks of the first page's charts. */
const BLOCKS = 100;
/** Rows of the first page's lists. */
const ROWS = 10;
const pending = (group: string) => `
  ${group}: pendingTransactions(group: ${group}, page: { pageSize: ${ROWS} }) {
    data { ${SHORT_ROW} } pagination { totalEntries }
  }`;

export const chain = {
  live: `{
    chain { latestFinalizedBlock { finalizationEpoch finalizationPoint height } }
    blocks(page: { pageSize: ${BLOCKS} }) {
      data { height hash timestamp transactionsCount totalFee feeMultiplier signerPublicKey harvester { address names } }
    }
    transactions(page: { pageSize: ${ROWS} }) {
      data {
        ${SHORT_ROW} height recipientAddress recipient { address names } mosaics { amount mosaic { divisibility names } }
      }
      pagination { totalEntries }
    }
    ${pending("unconfirmed")}
    ${pending("partial")}
  }`,
  epoch: "{ network { epochAdjustment } }",
  currency: "{ currency { mosaicId divisibility } }",
  mosaicNames: "query ($id: ArtifactId!) { mosaic(id: $id) { names } }",
  activity: `query ($seconds: Int!, $from: SafeInt, $shift: SafeInt) {
    activity(intervalSeconds: $seconds, fromTimestamp: $from, shift: $shift) {
      timestamp firstHeight lastHeight blocks transactions fees
    }
  }`,
  types: "query ($from: SafeInt) { transactionTypes(fromHeight: $from) { type count } }",
  network: "{ network { name description identifier generationHashSeed } }",
  supply: "{ currency { mosaicId divisibility maxSupply totalSupply circulatingSupply } }",
  fees: `{
    transactionFees {
      averageFeeMultiplier medianFeeMultiplier lowestFeeMultiplier highestFeeMultiplier minFeeMultiplier
    }
  }`,
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
    ranking(by: HARVESTED, first: 100, fromHeight: $fromHeight) { address value count }
  }`,
  accountNames: "query ($addresses: [Address!]!) { accountNames(addresses: $addresses) { address names } }",
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
  messages: `query ($text: String!, $after: String) {
    messages(words: $text, first: 20, after: $after) {
      data { text transaction { id hash height timestamp signerPublicKey signer { address names } } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
};
