import { BLOCK_ROW, TOTAL, TRANSACTION, TRANSACTION_ROW } from "./rows.js";

// The lists of the navigation, by numbered pages.

export const lists = {
  blocks: `query ($page: PageInput, $fromTime: Time, $toTime: Time) {
    list: blocks(page: $page, fromTime: $fromTime, toTime: $toTime) {
      data { ${BLOCK_ROW} } ${TOTAL}
    }
  }`,
  transactions: `query (
    $page: PageInput, $type: [Int!], $address: Address, $mosaicId: ArtifactId, $fromTime: Time, $toTime: Time,
    $embedded: Boolean
  ) {
    list: transactions(
      page: $page, type: $type, address: $address, transferMosaicId: $mosaicId, fromTime: $fromTime, toTime: $toTime,
      embedded: $embedded
    ) { data { ${TRANSACTION_ROW} } ${TOTAL} }
  }`,
  pending: `query ($page: PageInput, $group: PendingGroup!) {
    list: pendingTransactions(page: $page, group: $group) {
      data { ${TRANSACTION} deadline cosignatures { signerPublicKey } } ${TOTAL}
    }
  }`,
  accounts: `query ($page: PageInput, $mosaicId: ArtifactId) {
    list: accounts(page: $page, mosaicId: $mosaicId, orderBy: balance) {
      data { address names importance mosaics { mosaicId amount mosaic { divisibility names } } } ${TOTAL}
    }
  }`,
  mosaics: `query ($page: PageInput) {
    list: mosaics(page: $page) {
      data { mosaicId names supply divisibility startHeight duration ownerAddress owner { names } } ${TOTAL}
    }
  }`,
  namespaces: `query ($page: PageInput) {
    list: namespaces(page: $page) {
      data { namespaceId name active startHeight endHeight ownerAddress owner { names } alias { address mosaicId } }
      ${TOTAL}
    }
  }`,
};
