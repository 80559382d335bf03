const PAGE =
  "The answer is one page, newest entries first unless `order=asc`; `pagination` has the exact length of the whole list.";
const PENDING =
  "The list is that of the node which the indexer follows, and changes between blocks: follow it with `/ws` or `/events`.";
const TREE =
  "Together with the root of this tree under the block's `stateHash`, it proves to a client that the value is part of the chain's state.";

/** What each operation is for, by its id: more than fits its summary. */
export const operationDescriptions: Readonly<Record<string, string>> = {
  getInterfaces:
    "Paths of the other interfaces, relative to this server; those for operators are absent if they are on another port.",
  getReadiness:
    "For load balancers: give the maximum lag that clients may see. Without a maximum, lag alone is never 503.",
  getMetrics: "In Prometheus' text format. They are the counters of this process, and the lag of the index.",
  getOpenApi: "OpenAPI 3.0. Generated from the table that requests are validated with, so that both cannot differ.",
  getAsyncApi: "AsyncAPI 3.0: every message of `/ws` and `/events`, with its schema.",
  getChainInfo:
    "The first request of most clients. Blocks up to the finalized height cannot be replaced; those above can.",
  searchBlocks: PAGE,
  getBlockByHeight: "404 above the newest block. A block above the finalized height may be replaced by another one.",
  getMerkleTransaction:
    "Hash the transaction's hash together with each step; the last result is the header's `transactionsHash`.",
  getMerkleReceipts:
    "Hash the statement's hash together with each step; the last result is the header's `receiptsHash`.",
  searchConfirmedTransactions: `Transactions in blocks. Embedded transactions are listed on request only, with \`embedded=true\`. ${PAGE}`,
  getConfirmedTransactions:
    "At most as many ids as the schema says. To learn whether a transaction is confirmed, ask for its status instead.",
  getConfirmedTransaction: "404 while the transaction is not in a block.",
  searchUnconfirmedTransactions: `Transactions that wait for a block. ${PENDING}`,
  getUnconfirmedTransactions: "Transactions that were confirmed or rejected meanwhile are omitted.",
  getUnconfirmedTransaction: "404 once the transaction was confirmed or rejected.",
  searchPartialTransactions: `Bonded aggregates that wait for cosignatures. ${PENDING}`,
  getPartialTransactions: "Each has the cosignatures that the node has so far.",
  announcePartialTransaction:
    "Its hash lock has to be in a block, or announced before: then the aggregate is held and pushed once the lock is confirmed.",
  getPartialTransaction: "404 once all cosignatures are there, and after its deadline.",
  exportConfirmedTransactions:
    "A file of any length, for spreadsheets. If the chain changes meanwhile, the connection is closed before the end of the body.",
  getTransactionStatus:
    "Where an announced transaction is: confirmed, unconfirmed, partial, or failed with the node's code. 404 for a hash that was never seen.",
  getTransactionStatuses: "One request for many announcements.",
  announceTransaction:
    "The transaction is verified, tried on the newest state and pushed to a node. What becomes of it is its status, or a message of `/ws`.",
  announceOneTransaction: "The same as `PUT /transactions`, at another path that some clients use.",
  announceCosignatureTransaction:
    "409 if no such aggregate is pending, or if it does not need this account's signature.",
  simulateTransactions: "Every check of a node, the fee, and every balance and entry of the state that would change.",
  searchTransactionStatements: `Payments and ends that no transaction spells out: fees, rewards, rental fees, locks, expired mosaics and namespaces. ${PAGE}`,
  searchAddressResolutionStatements: `Which account an alias in a transaction stood for when the block was created. ${PAGE}`,
  searchMosaicResolutionStatements: `Which mosaic an alias in a transaction stood for when the block was created. ${PAGE}`,
  searchAccounts: `Holders of a mosaic by balance: \`mosaicId\` with \`orderBy=balance\`. ${PAGE}`,
  getAccountsInfo: "Give either addresses or public keys.",
  getAccountInfo:
    "Balances, importance and linked keys at the newest block. 404 for an address that no block has mentioned.",
  getAccountInfoMerkle: TREE,
  exportBlocks: "A file of any length, for spreadsheets and notebooks.",
  exportHolders: "In the order in which the chain first names them. Amounts held by locks are not included.",
  exportAccountMovements:
    "For bookkeeping: transfers, fees, rewards, locks and rental fees, each with the balance after it.",
  searchMosaics: PAGE,
  getMosaics: "The order is that of the request; missing mosaics are omitted.",
  getMosaic: "Supply, owner, properties and duration at the newest block.",
  getMosaicMerkle: TREE,
  searchNamespaces: PAGE,
  getNamespace: "Owner, duration and what it points to, at the newest block. The id is computed from the name.",
  getNamespaceMerkle: TREE,
  getNamespacesNames: "The full name is that of its parents and its own, joined by dots.",
  getAccountsNames: "An account without a name has an empty list.",
  getMosaicsNames: "A mosaic without a name has an empty list.",
  getAccountMultisig: "404 for an account that neither has cosignatories nor is one.",
  getAccountMultisigGraph:
    "Negative levels are the accounts that this one cosigns for, positive ones its cosignatories.",
  getAccountMultisigMerkle: TREE,
  searchMetadataEntries: PAGE,
  getMetadataEntries: "The order is that of the request; missing entries are omitted.",
  getMetadata: "The value is shown as bytes: most applications store text in UTF-8.",
  searchDeposits:
    "What an exchange or a shop credits, without joins: sender, mosaic and recipient are real ones, also where the transfer names aliases. `key` names a deposit for ever. Read with `final=true&order=asc` and continue after the last id: such a page never changes.",
  getMetadataMerkle: TREE,
  getMetadataMetal: "The parts of the file are collected and verified. 404 if one is missing or wrong.",
  searchHashLock: `Used and expired locks are listed until that is final. ${PAGE}`,
  getHashLocks: "The order is that of the request; missing locks are omitted.",
  searchAccountHashLocks: `Of one account. ${PAGE}`,
  getHashLock: "The hash is that of the bonded aggregate which the deposit was paid for.",
  getHashLockMerkle: TREE,
  searchSecretLock: `Used and expired locks are listed until that is final. ${PAGE}`,
  getSecretLocks: "The order is that of the request; missing locks are omitted.",
  searchAccountSecretLocks: `Of one account. ${PAGE}`,
  getSecretLock: "A lock that was used or has expired remains until that is final.",
  getSecretLockMerkle: TREE,
  searchAccountRestrictions: PAGE,
  getAccountRestrictionsBatch: "The order is that of the request; accounts without restrictions are omitted.",
  getAccountRestrictions: "404 for an account that never set a restriction.",
  getAccountRestrictionsMerkle: TREE,
  searchMosaicRestrictions: `A transfer of a restrictable mosaic needs values of both accounts that satisfy the mosaic's rules. ${PAGE}`,
  getMosaicRestrictionsBatch: "The order is that of the request; missing entries are omitted.",
  getMosaicRestrictions: "Which of the two it is, `entryType` says.",
  getMosaicRestrictionsMerkle: TREE,
  getFinalizationProofAtEpoch:
    "The votes with which anyone can verify, without trusting a node, that a block is final.",
  getFinalizationProofAtHeight:
    "The votes with which anyone can verify, without trusting a node, that the block is final. 404 between two proofs.",
  getNetworkType: "Compare it with the network that your keys are for.",
  getNetworkProperties: "Limits, durations and fees that transactions have to respect.",
  getTransactionFees: "The fee of a transaction is its size in bytes times a multiplier. A low one waits longer.",
  getRentalFees: "They follow the median fee multiplier of the newest blocks.",
  getNetworkInflation: "From each height on, a block creates this amount, which is paid together with its fees.",
  getNetworkInflationAtHeight: "The step that applies to one block.",
  getMaxCurrencySupply: "Plain text, as services that list currencies expect it.",
  getTotalCurrencySupply: "Plain text, as services that list currencies expect it.",
  getCirculatingCurrencySupply: "Plain text, as services that list currencies expect it.",
  getNodeHealth: "For monitors that know catapult-rest; `/ready` says more.",
  getNodeInfo: "Identity, version and roles of the node which answers for this server.",
  getNodePeers: "Nodes that the node is in contact with.",
  getNodeTime: "A deadline is counted from the same start.",
  getNodeStorage:
    "The numbers of blocks, transactions and accounts are exact, those of the database are PostgreSQL's estimates.",
  getUnlockedAccount: "Nodes answer this only to hosts that they trust.",
  getNodeMetadata: "Any JSON object, `nodeMetadata` of `REST_JSON`; empty by default.",
  getServerInfo: "Clients of catapult-rest read the version here.",
  streamEvents: "For clients without WebSockets. A browser's `EventSource` resumes by itself, without a gap.",
};
