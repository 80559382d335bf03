/*
 * What members of bodies mean, for `/openapi.json` and `/asyncapi.json`. A schema that describes a member itself
 * wins; then `Schema.member`, for a name with several meanings; then the name alone.
 */

const TRANSACTIONS = {
  deadline: "Time after which the transaction can no longer be confirmed.",
  amount: "Amount in atomic units of the mosaic.",
};

const STATE = {
  "NamespaceNameDTO.id": "Id of the namespace.",
  accountNames: "Names by address, in the order of the request.",
  mosaicNames: "Names by mosaic, in the order of the request.",
  nibbleCount: "Number of hex digits in `path`.",
  links: "Hashes of the nodes below, by hex digit.",
  branchHash: "Hash of the branch.",
  link: "Hash of the node below.",
  leafHash: "Hash of the leaf.",
};

const CHAIN = {
  block: "Header of the block.",
  meta: "What is known about it besides its own bytes.",
  merklePath: "Hashes beside the path, from the leaf to the root; empty for the only leaf.",
  "BlockMetaDTO.hash": "Hash of the block.",
  "FinalizedBlockDTO.hash": "Hash of the block.",
  "FinalizationProofDTO.hash": "Hash of the block.",
  "MerklePathItemDTO.hash": "Hash beside the path.",
  "TransactionStatusDTO.hash": "Hash of the transaction.",
  latestFinalizedBlock: "Highest block that votes have finalized: it cannot be replaced.",
  finalizationEpoch: "Finalization epoch of the votes.",
  finalizationPoint: "Round of votes in the epoch.",
  "ReadinessDTO.height": "Height of the newest block of the index.",
  finalizedHeight: "Height of the highest finalized block.",
  signature: "Signature of the signer.",
  parentPublicKey: "Public key that the signature belongs to.",
  messageGroups: "Votes, grouped by what they are for.",
  signatures: "Signatures of the voters.",
  stage: "Stage of the vote: 0 prevote, 1 precommit, 2 count.",
  statement: "The statement.",
  source: "Position in the block of what caused it.",
  receipts: "Receipts, in order.",
  unresolved: "Alias as in the transactions of the block.",
  resolutionEntries: "What the alias stood for, by the position from which on.",
  resolved: "What the alias stood for from this position on.",
  group: "Where the transaction is.",
};

const SERVER = {
  "InterfacesDTO.name": "Name of the program.",
  "InterfacesDTO.version": "Version of the program.",
  rest: "The REST interface.",
  messages: "The messages of `/ws` and `/events`.",
  openapi: "Version of OpenAPI.",
  asyncapi: "Version of AsyncAPI.",
  info: "Title and version of the interface.",
  paths: "Operations by path.",
  channels: "Channels by name.",
  operations: "Operations by name.",
  components: "Schemas that others refer to.",
  data: "Entries of the page.",
  pagination: "Position of the page, and length of the whole list.",
  pageNumber: "Number of the page, from 1.",
  totalPages: "Pages of this size in the whole list.",
  "NetworkTypeDTO.name": "Name of the network.",
  description: "The network in one line.",
  averageFeeMultiplier: "Average fee multiplier of the newest blocks.",
  medianFeeMultiplier: "Median fee multiplier of the newest blocks.",
  highestFeeMultiplier: "Highest fee multiplier of the newest blocks.",
  lowestFeeMultiplier: "Lowest fee multiplier of the newest blocks.",
  effectiveRootNamespaceRentalFeePerBlock: "Rental fee of a root namespace for each block, in atomic units.",
  effectiveChildNamespaceRentalFee: "Rental fee of a child namespace, in atomic units.",
  effectiveMosaicRentalFee: "Rental fee of a mosaic, in atomic units.",
  "NodeHealthInfoDTO.status": "Availability by part.",
  apiNode: "Availability of the node.",
  db: "Availability of the database.",
  networkGenerationHashSeed: "Hash that identifies the node's network.",
  networkIdentifier: "Network of the node.",
  friendlyName: "Name that the node's owner has given it.",
  communicationTimestamps: "The node's clock when it received the request and when it answered.",
  numBlocks: "Number of indexed blocks.",
  numAccounts: "Number of indexed accounts.",
  database: "Statistics of the database.",
  numIndexes: "Number of indexes.",
  unlockedAccount: "Public keys of the accounts that harvest on the node.",
  serverInfo: "This server.",
  deployment: "How the server was deployed.",
  deploymentTool: "Tool that deployed it.",
  deploymentToolVersion: "Version of that tool.",
  lastUpdatedDate: "Date of the deployment.",
  fee: "What the transaction would pay.",
  balances: "Balances that the transaction would change.",
  entries: "Entries of the state that the transaction would change.",
  missingCosignatures: "Approvals that the aggregate lacks.",
  before: "Balance before, in atomic units.",
  after: "Balance after, in atomic units.",
};

/** By `Schema.member` or `member`. */
export const MEANINGS = {
  ...TRANSACTIONS,
  ...STATE,
  ...CHAIN,
  ...SERVER,
  id: "Id of the entry: the `offset` of the page that begins after it.",
  version: "Version of the layout.",
  type: "Type of the entity, which determines its other members.",
  height: "Height of the block.",
  hash: "Hash by which it is found.",
  address: "Address of the account.",
  mosaicId: "Id of the mosaic.",
};

/** The meaning of a member. */
export function meaningOf(schema: string, member: string): string | undefined {
  const meanings: Readonly<Record<string, string>> = MEANINGS;
  return meanings[`${schema}.${member}`] ?? meanings[member];
}
