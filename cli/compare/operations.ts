/**
 * How much of an operation's responses is compared: the bodies, only their members and types, or nothing. The second
 * and third need a reason.
 */
type Extent = "bodies" | { readonly form: string } | { readonly left: string };

const OF_THE_NODE = { form: "it describes the node behind the gateway" };
const OF_THE_PROGRAM = { form: "it describes the gateway itself" };
const ANNOUNCES = { left: "announcing changes the chain" };

/** Every operation of the published interface by its id: method and path, and how much of it is compared. */
export const OPERATIONS = {
  searchAccounts: ["GET /accounts", "bodies"],
  getAccountsInfo: ["POST /accounts", "bodies"],
  getAccountInfo: ["GET /accounts/{accountId}", "bodies"],
  getAccountInfoMerkle: ["GET /accounts/{accountId}/merkle", "bodies"],
  searchBlocks: ["GET /blocks", "bodies"],
  getBlockByHeight: ["GET /blocks/{height}", "bodies"],
  getMerkleTransaction: ["GET /blocks/{height}/transactions/{hash}/merkle", "bodies"],
  getMerkleReceipts: ["GET /blocks/{height}/statements/{hash}/merkle", "bodies"],
  getChainInfo: ["GET /chain/info", "bodies"],
  getFinalizationProofAtEpoch: ["GET /finalization/proof/epoch/{epoch}", "bodies"],
  getFinalizationProofAtHeight: ["GET /finalization/proof/height/{height}", "bodies"],
  getNetworkType: ["GET /network", "bodies"],
  getRentalFees: ["GET /network/fees/rental", "bodies"],
  getTransactionFees: ["GET /network/fees/transaction", "bodies"],
  getNetworkProperties: ["GET /network/properties", "bodies"],
  getNetworkInflation: ["GET /network/inflation", "bodies"],
  getNetworkInflationAtHeight: ["GET /network/inflation/at/{height}", "bodies"],
  getMaxCurrencySupply: ["GET /network/currency/supply/max", "bodies"],
  getTotalCurrencySupply: ["GET /network/currency/supply/total", "bodies"],
  getCirculatingCurrencySupply: ["GET /network/currency/supply/circulating", "bodies"],
  getNodeHealth: ["GET /node/health", "bodies"],
  getNodeInfo: ["GET /node/info", OF_THE_NODE],
  getNodePeers: ["GET /node/peers", OF_THE_NODE],
  getNodeStorage: ["GET /node/storage", OF_THE_PROGRAM],
  getNodeTime: ["GET /node/time", OF_THE_NODE],
  getServerInfo: ["GET /node/server", OF_THE_PROGRAM],
  getUnlockedAccount: ["GET /node/unlockedaccount", OF_THE_NODE],
  getNodeMetadata: ["GET /node/metadata", { left: "its content is set by the operator" }],
  announceTransaction: ["PUT /transactions", ANNOUNCES],
  announcePartialTransaction: ["PUT /transactions/partial", ANNOUNCES],
  announceCosignatureTransaction: ["PUT /transactions/cosignature", ANNOUNCES],
  searchConfirmedTransactions: ["GET /transactions/confirmed", "bodies"],
  getConfirmedTransactions: ["POST /transactions/confirmed", "bodies"],
  getConfirmedTransaction: ["GET /transactions/confirmed/{transactionId}", "bodies"],
  searchUnconfirmedTransactions: ["GET /transactions/unconfirmed", "bodies"],
  getUnconfirmedTransactions: ["POST /transactions/unconfirmed", "bodies"],
  getUnconfirmedTransaction: ["GET /transactions/unconfirmed/{transactionId}", "bodies"],
  searchPartialTransactions: ["GET /transactions/partial", "bodies"],
  getPartialTransactions: ["POST /transactions/partial", "bodies"],
  getPartialTransaction: ["GET /transactions/partial/{transactionId}", "bodies"],
  getTransactionStatuses: ["POST /transactionStatus", "bodies"],
  getTransactionStatus: ["GET /transactionStatus/{hash}", "bodies"],
  searchAccountHashLocks: ["GET /account/{address}/lock/hash", "bodies"],
  searchHashLock: ["GET /lock/hash", "bodies"],
  getHashLocks: ["POST /lock/hash", "bodies"],
  getHashLock: ["GET /lock/hash/{hash}", "bodies"],
  getHashLockMerkle: ["GET /lock/hash/{hash}/merkle", "bodies"],
  searchAccountSecretLocks: ["GET /account/{address}/lock/secret", "bodies"],
  searchSecretLock: ["GET /lock/secret", "bodies"],
  getSecretLocks: ["POST /lock/secret", "bodies"],
  getSecretLock: ["GET /lock/secret/{compositeHash}", "bodies"],
  getSecretLockMerkle: ["GET /lock/secret/{compositeHash}/merkle", "bodies"],
  searchMetadataEntries: ["GET /metadata", "bodies"],
  getMetadataEntries: ["POST /metadata", "bodies"],
  getMetadata: ["GET /metadata/{compositeHash}", "bodies"],
  getMetadataMerkle: ["GET /metadata/{compositeHash}/merkle", "bodies"],
  getMetadataMetal: ["GET /metadata/metal/{metalId}", "bodies"],
  getMosaic: ["GET /mosaics/{mosaicId}", "bodies"],
  getMosaicMerkle: ["GET /mosaics/{mosaicId}/merkle", "bodies"],
  searchMosaics: ["GET /mosaics", "bodies"],
  getMosaics: ["POST /mosaics", "bodies"],
  getAccountMultisig: ["GET /account/{address}/multisig", "bodies"],
  getAccountMultisigMerkle: ["GET /account/{address}/multisig/merkle", "bodies"],
  getAccountMultisigGraph: ["GET /account/{address}/multisig/graph", "bodies"],
  searchNamespaces: ["GET /namespaces", "bodies"],
  getNamespace: ["GET /namespaces/{namespaceId}", "bodies"],
  getNamespaceMerkle: ["GET /namespaces/{namespaceId}/merkle", "bodies"],
  getNamespacesNames: ["POST /namespaces/names", "bodies"],
  getAccountsNames: ["POST /namespaces/account/names", "bodies"],
  getMosaicsNames: ["POST /namespaces/mosaic/names", "bodies"],
  searchTransactionStatements: ["GET /statements/transaction", "bodies"],
  searchAddressResolutionStatements: ["GET /statements/resolutions/address", "bodies"],
  searchMosaicResolutionStatements: ["GET /statements/resolutions/mosaic", "bodies"],
  searchAccountRestrictions: ["GET /restrictions/account", "bodies"],
  getAccountRestrictionsBatch: ["POST /restrictions/account", "bodies"],
  getAccountRestrictions: ["GET /restrictions/account/{address}", "bodies"],
  getAccountRestrictionsMerkle: ["GET /restrictions/account/{address}/merkle", "bodies"],
  searchMosaicRestrictions: ["GET /restrictions/mosaic", "bodies"],
  getMosaicRestrictionsBatch: ["POST /restrictions/mosaic", "bodies"],
  getMosaicRestrictions: ["GET /restrictions/mosaic/{compositeHash}", "bodies"],
  getMosaicRestrictionsMerkle: ["GET /restrictions/mosaic/{compositeHash}/merkle", "bodies"],
} as const satisfies Readonly<Record<string, readonly [route: `${"GET" | "POST" | "PUT"} /${string}`, extent: Extent]>>;

/** Id of an operation of the published interface. */
export type OperationId = keyof typeof OPERATIONS;

/** Ids of all operations, in the order of the tags in the published description. */
export const OPERATION_IDS = Object.keys(OPERATIONS) as readonly OperationId[];

/** Method and path of an operation, such as `GET /blocks/{height}`. */
export function routeOf(id: OperationId): string {
  return OPERATIONS[id][0];
}

/** Why only the form of an operation's responses is compared; undefined if their bodies are. */
export function formReasonOf(id: OperationId): string | undefined {
  const extent: Extent = OPERATIONS[id][1];
  return typeof extent === "object" && "form" in extent ? extent.form : undefined;
}

/** Why an operation is not compared; undefined if it is. */
export function leftReasonOf(id: OperationId): string | undefined {
  const extent: Extent = OPERATIONS[id][1];
  return typeof extent === "object" && "left" in extent ? extent.left : undefined;
}
