import { html } from "../dom.js";
import { count, nodeVersion, rolesOf } from "../format.js";
import { useQuery } from "../graphql.js";
import { Heading, Part } from "../page.js";
import { BlockLink, digits } from "../values.js";
import { words } from "../words.js";
import { behind } from "./network.js";

const MIB = 1_048_576;
const block = (height) => html`<${BlockLink} height=${height} />`;

export function NodePage({ version }) {
  const status = useQuery("status", {}, version);
  const node = useQuery("node", {}, version);
  return html`
    <${Heading} kind="node" text=${node.data?.nodeInfo.friendlyName ?? ""} />
    <${Part} title="index" answer=${status} rowsOf=${factsOfIndex} isHalf />
    <${Part} title="node" answer=${node} rowsOf=${factsOfNode} isHalf />`;
}

const factsOfIndex = ({ indexStatus: index, health, gateway, storage }) => [
  ["height", block(index.height)],
  ["finalized", block(index.finalizedHeight), "finalizedHeight"],
  ["behindTheNode", behind(index.blocksBehind, index.secondsBehind)],
  ["failure", index.failure],
  ["unknownEntities", index.unknownEntities > 0 && count(index.unknownEntities)],
  ["missingRule", index.missingRule],
  ["stateDiffersSince", index.stateDiffersSince && block(index.stateDiffersSince)],
  ["unprovenFinalization", index.unprovenFinalization],
  ["database", health.db],
  ["blocks", count(storage.blocks)],
  ["transactions", count(storage.transactions)],
  ["accounts", count(storage.accounts)],
  ["databaseSize", `${count(Math.round(storage.database.totalSize / MIB))} MiB`],
  ["gateway", `symbol-gateway ${gateway.version}`],
  [
    "clients",
    words("clientsOf", { ws: count(gateway.webSocketConnections), graphql: count(gateway.graphqlConnections) }),
  ],
];

const factsOfNode = ({ nodeInfo: node }) => [
  ["name", node.friendlyName, "friendlyName"],
  ["version", nodeVersion(node.version)],
  ["address", `${node.host || words("unknown")}:${node.port}`],
  ["roles", rolesOf(node.roles)],
  digits("publicKey", node.publicKey, "nodePublicKey"),
];
