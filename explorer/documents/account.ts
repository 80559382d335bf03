import { CURSORS, METADATA_ROW, MOVEMENTS, TOTAL, TRANSACTION_ROW } from "./rows.js";

// One account.

const FIELDS = `
  address names publicKey addressHeight importance accountType linkedAccount { address names }
  mosaics { amount mosaicId mosaic { divisibility names } }
  namespaces(first: 100) { data { namespaceId name active startHeight } }
  ownedMosaics(first: 100) { data { mosaicId names supply divisibility } }
  metadata(first: 50) { data { ${METADATA_ROW} } }
  restrictions { restrictions { isBlocked isOutgoing addresses mosaicIds transactionTypes } }
  votingKeys { startEpoch endEpoch } vrfPublicKey
  multisig { minApproval minRemoval cosignatoryAddresses multisigs { address account { names } } }
  harvestedBlocks(first: 1) { ${TOTAL} }`;

export const account = {
  account: `query ($address: Address, $publicKey: PublicKey) {
    account(address: $address, publicKey: $publicKey) { ${FIELDS} }
  }`,
  accountTransactions: `query (
    $address: Address, $signerPublicKey: PublicKey, $recipientAddress: Address, $type: [Int!], $embedded: Boolean,
    $after: EntityId
  ) {
    transactions(
      address: $address, signerPublicKey: $signerPublicKey, recipientAddress: $recipientAddress, type: $type,
      embedded: $embedded, first: 20, after: $after
    ) { data { ${TRANSACTION_ROW} ${MOVEMENTS} } ${CURSORS} ${TOTAL} }
  }`,
  balanceHistory: `query ($address: Address!, $mosaicId: ArtifactId!) {
    balanceHistory(address: $address, mosaicId: $mosaicId, first: 1000) {
      data { height timestamp amount } pageInfo { hasNextPage }
    }
  }`,
  balanceSeries: `query ($address: Address!, $mosaicId: ArtifactId!, $seconds: Int!, $from: SafeInt!) {
    balanceSeries(address: $address, mosaicId: $mosaicId, intervalSeconds: $seconds, fromTimestamp: $from) {
      time amount
    }
  }`,
  timeOfBlock: "query ($height: SafeInt!) { block(height: $height) { timestamp } }",
  harvestIncome: `query ($address: Address!, $shift: SafeInt) {
    harvestIncome(address: $address, intervalSeconds: 86400, shift: $shift) { timestamp amount }
  }`,
  multisigGraph: `query ($address: Address!) {
    multisigGraph(address: $address) {
      level entries { address account { names } minApproval minRemoval cosignatoryAddresses }
    }
  }`,
};
