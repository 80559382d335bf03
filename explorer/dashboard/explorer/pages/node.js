import { count, duration, nodeVersion } from "../../format.js";
import { html } from "../library.js";
import { Heading } from "../page.js";
import { useQuery } from "../query.js";
import { BlockLink, Digits, Facts, Section } from "../values.js";
import { rolesOf } from "./nodes.js";

const MIB = 1_048_576;

export function NodePage({ version }) {
  const status = useQuery("status", {}, version);
  const node = useQuery("node", {}, version);
  return html`
    <${Heading} kind="Node" text=${node.data?.nodeInfo.friendlyName ?? ""} />
    <${Section} title="Index">${status.failure ? html`<p role="alert" class="failure">${status.failure}</p>` : status.data && html`<${Index} ...${status.data} />`}<//>
    <${Section} title="Node">${node.failure ? html`<p role="alert" class="failure">${node.failure}</p>` : node.data && html`<${Node} node=${node.data.nodeInfo} />`}<//>`;
}

function Index({ indexStatus, health, gateway, storage }) {
  return html`<${Facts} rows=${[
    ["Height", html`<${BlockLink} height=${indexStatus.height} />`, "height"],
    ["Finalized", html`<${BlockLink} height=${indexStatus.finalizedHeight} />`, "finalizedHeight"],
    [
      "Behind the node",
      indexStatus.blocksBehind === null
        ? "the node does not respond"
        : `${count(indexStatus.blocksBehind)} blocks, ${duration(indexStatus.secondsBehind)}`,
    ],
    ["Source of the state", indexStatus.stateSource ?? "none yet", "stateSource"],
    ["Failure", indexStatus.failure],
    ["Unknown entities", indexStatus.unknownEntities > 0 ? count(indexStatus.unknownEntities) : undefined],
    ["Overruled checks", indexStatus.overruledChecks > 0 ? count(indexStatus.overruledChecks) : undefined],
    ["The newest of them", indexStatus.newestOverruledCheck],
    [
      "State differs since",
      indexStatus.stateDiffersSince ? html`<${BlockLink} height=${indexStatus.stateDiffersSince} />` : undefined,
    ],
    ["Unproven entries", indexStatus.unprovenEntries > 0 ? count(indexStatus.unprovenEntries) : undefined],
    ["The newest of these", indexStatus.newestUnprovenEntries.join(", ") || undefined],
    [
      "Blocks with unproven receipts",
      indexStatus.unprovenReceipts > 0 ? count(indexStatus.unprovenReceipts) : undefined,
    ],
    ["Finalization is not proven", indexStatus.unprovenFinalization],
    ["Database", health.db],
    ["Blocks", count(storage.blocks), "blocks"],
    ["Transactions", count(storage.transactions), "transactions"],
    ["Accounts", count(storage.accounts), "accounts"],
    ["Size of the database", `${count(Math.round(storage.database.totalSize / MIB))} MiB`],
    ["Gateway", `symbol-gateway ${gateway.version}`],
    ["Clients", `${count(gateway.webSocketConnections)} of /ws, ${count(gateway.graphqlConnections)} of GraphQL`],
  ]} />`;
}

const Node = ({ node }) =>
  html`<${Facts} rows=${[
    ["Name", node.friendlyName, "friendlyName"],
    ["Version", nodeVersion(node.version)],
    ["Address", `${node.host || "unknown"}:${node.port}`],
    ["Roles", rolesOf(node.roles)],
    ["Public key", html`<${Digits} value=${node.publicKey} what="public key of the node" />`],
  ]} />`;
