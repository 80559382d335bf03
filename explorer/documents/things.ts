import { CURSORS, HEAD, METADATA_ROW, MOVEMENTS, STATEMENT_ROW, TOTAL, TRANSACTION, TRANSACTION_ROW } from "./rows.js";

// One block, transaction, mosaic or namespace.

const COMMON = `
  ${TRANSACTION} version size maxFee deadline signature embedded { ${TRANSACTION} }
  cosignatures { signerPublicKey signer { address names } }`;
const RESOLUTIONS = "data { unresolved resolutionEntries { resolved source { primaryId secondaryId } } }";
const CONFIRMED = `
  ${COMMON} height index timestamp fee aggregate { hash }
  statements { ${STATEMENT_ROW} } ${MOVEMENTS}
  block {
    isFinalized addressResolutions(first: 100) { ${RESOLUTIONS} } mosaicResolutions(first: 100) { ${RESOLUTIONS} }
  }`;
const pending = (group: string) => `
  ${group}: pendingTransactionsByIds(group: ${group}, hashes: [$key]) { ${COMMON} group }`;

export const things = {
  block: `query ($height: SafeInt!) {
    block(height: $height) {
      height hash generationHash previousBlockHash transactionsHash receiptsHash stateHash timestamp type size
      feeMultiplier totalFee transactionsCount totalTransactionsCount statementsCount difficulty isFinalized
      signerPublicKey harvester { address names } beneficiaryAddress beneficiary { names }
      previous { timestamp } next { height }
      votingEligibleAccountsCount harvestingEligibleAccountsCount
    }
    ${HEAD}
  }`,
  blockTransactions: `query ($height: SafeInt!, $after: EntityId) {
    block(height: $height) {
      transactions(first: 25, order: asc, after: $after) { data { ${TRANSACTION_ROW} } ${CURSORS} ${TOTAL} }
    }
  }`,
  blockStatements: `query ($height: SafeInt!, $after: EntityId) {
    block(height: $height) {
      statements(first: 25, order: asc, after: $after) { data { ${STATEMENT_ROW} } ${CURSORS} ${TOTAL} }
    }
  }`,
  transaction: `query ($key: Hash256!) {
    transactionsByIds(hashes: [$key]) { ${CONFIRMED} }
    ${pending("unconfirmed")}
    ${pending("partial")}
    transactionStatuses(hashes: [$key]) { group code deadline waitsFor announced }
    ${HEAD}
  }`,
  transactionOfId: `query ($key: EntityId!) {
    transactionsByIds(ids: [$key]) { ${CONFIRMED} }
    ${HEAD}
  }`,
  mosaic: `query ($id: ArtifactId!) {
    mosaic(id: $id) {
      mosaicId names supply divisibility flags duration startHeight revision
      ownerAddress owner {
        address names namespaces(first: 100) { data { namespaceId alias { mosaicId } } }
        transactions(type: [16973], embedded: true, first: 100) { data { height timestamp body } }
      }
      metadata(first: 50) { data { ${METADATA_ROW} } }
    }
    ${HEAD}
  }`,
  holders: `query ($id: ArtifactId!, $after: EntityId) {
    mosaic(id: $id) {
      holders(first: 20, after: $after) { data { address amount share account { names } } ${CURSORS} ${TOTAL} }
    }
  }`,
  pastHolders: `query ($id: ArtifactId!, $height: SafeInt!, $after: String) {
    holdersAt(mosaicId: $id, height: $height, first: 50, after: $after) { data { address amount account { names } } ${CURSORS} }
  }`,
  topHoldersAt: `query ($id: ArtifactId!, $height: SafeInt!) {
    topHoldersAt(mosaicId: $id, height: $height) { address amount account { names } }
  }`,
  namespace: `query ($id: ArtifactId!) {
    ended: endedNamespace(id: $id) { name height ownerAddress owner { names } }
    namespace(id: $id) {
      namespaceId name depth active startHeight endHeight ownerAddress owner { names }
      alias { address mosaicId }
      root { namespaceId name } parent { namespaceId name }
      family(first: 100, order: asc) { data { namespaceId name depth active } }
      metadata(first: 50) { data { ${METADATA_ROW} } }
    }
  }`,
};
