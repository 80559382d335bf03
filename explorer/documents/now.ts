// What the node and this program say of this moment.

const NODE_FIELDS = "friendlyName host port version publicKey nodePublicKey roles networkIdentifier";

export const now = {
  status: `{
    indexStatus {
      height finalizedHeight nodeHeight blocksBehind secondsBehind failure unknownEntities
      missingRule stateDiffersSince unprovenFinalization missingIndexes
    }
    health { apiNode db }
    gateway { version startedAt webSocketConnections webSocketSubscriptions graphqlConnections }
    storage { blocks transactions accounts database { totalSize indexSize } }
  }`,
  node: `{ nodeInfo { ${NODE_FIELDS} } }`,
  peers: `{ nodePeers { ${NODE_FIELDS} } }`,
  finalization: `{
    finalizationLag { finalizedHeight blocks seconds }
    chain { latestFinalizedBlock { finalizationEpoch finalizationPoint } }
  }`,
};
