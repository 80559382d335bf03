import { html } from "../dom.js";
import { count, duration, nodeVersion } from "../format.js";
import { answered, useQuery } from "../graphql.js";
import { Heading } from "../page.js";
import { BlockPosition, Digits, Facts, Section } from "../values.js";
import { counted, words } from "../words.js";
import { rolesOf } from "./nodes.js";

const MIB = 1_048_576;

export function NodePage({ version }) {
  const status = useQuery("status", {}, version);
  const node = useQuery("node", {}, version);
  return html`
    <${Heading} kind="node" text=${node.data?.nodeInfo.friendlyName ?? ""} />
    <${Section} title="index" isHalf>${answered(status, (data) => html`<${Index} ...${data} />`)}<//>
    <${Section} title="node" isHalf>${answered(node, ({ nodeInfo }) => html`<${Node} node=${nodeInfo} />`)}<//>`;
}

function Index({ indexStatus, health, gateway, storage }) {
  return html`<${Facts} rows=${[
    ["height", html`<${BlockPosition} height=${indexStatus.height} />`],
    ["finalized", html`<${BlockPosition} height=${indexStatus.finalizedHeight} />`, "finalizedHeight"],
    [
      "behindTheNode",
      indexStatus.blocksBehind === null
        ? words("noResponse")
        : words("behind", {
            blocks: counted("blocks", indexStatus.blocksBehind),
            duration: duration(indexStatus.secondsBehind),
          }),
    ],
    ["failure", indexStatus.failure],
    ["unknownEntities", indexStatus.unknownEntities > 0 ? count(indexStatus.unknownEntities) : undefined],
    ["missingRule", indexStatus.missingRule],
    [
      "stateDiffersSince",
      indexStatus.stateDiffersSince ? html`<${BlockPosition} height=${indexStatus.stateDiffersSince} />` : undefined,
    ],
    ["unprovenFinalization", indexStatus.unprovenFinalization],
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
  ]} />`;
}

const Node = ({ node }) =>
  html`<${Facts} rows=${[
    ["name", node.friendlyName, "friendlyName"],
    ["version", nodeVersion(node.version)],
    ["address", `${node.host || words("unknown")}:${node.port}`],
    ["roles", rolesOf(node.roles)],
    ["publicKey", html`<${Digits} value=${node.publicKey} what="nodePublicKey" />`],
  ]} />`;
