import type { PersistedDocuments } from "../../gateway/rest/persisted-documents.js";
import { account } from "./account.js";
import { chain } from "./chain.js";
import { lists } from "./lists.js";
import { things } from "./things.js";

const NODE_FIELDS = "friendlyName host port version publicKey nodePublicKey roles networkIdentifier";

/** What the node and this program say of this moment. */
const now = {
  status: `{
    indexStatus {
      height finalizedHeight blocksBehind secondsBehind failure unknownEntities
      missingRule stateDiffersSince unprovenFinalization
    }
    health { db } gateway { version webSocketConnections graphqlConnections }
    storage { blocks transactions accounts database { totalSize } }
  }`,
  node: `{ nodeInfo { ${NODE_FIELDS} } }`,
  peers: `{ nodePeers { ${NODE_FIELDS} } }`,
  finalization: `{
    finalizationLag { finalizedHeight blocks seconds }
    chain { latestFinalizedBlock { finalizationEpoch finalizationPoint } }
  }`,
};

/**
 * Every GraphQL document of the pages, by the name under which they ask it: explorer/data/<name>?variables=<JSON>. No page
 * can run anything else.
 */
export const documents: PersistedDocuments = { ofIndex: { ...chain, ...lists, ...things, ...account }, ofNow: now };
