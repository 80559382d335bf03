import { nodeVersion } from "../../format.js";
import { CsvButton } from "../csv.js";
import { html } from "../library.js";
import { Heading } from "../page.js";
import { useQuery } from "../query.js";
import { Table } from "../table.js";
import { Section } from "../values.js";

const ROLES = [
  [1, "peer"],
  [2, "API"],
  [4, "voting"],
  [64, "IPv4"],
  [128, "IPv6"],
];

export const rolesOf = (roles) =>
  ROLES.filter(([bit]) => roles & bit)
    .map(([, name]) => name)
    .join(", ");

/** The nodes that ours knows. */
export function NodesPage() {
  const { data, failure } = useQuery("peers", {}, 0);
  return html`<${Heading} kind="List" text="Nodes" />
    <${Section} title="Peers of the node">
      ${failure && html`<p role="alert" class="failure">${failure}</p>`}
      ${data && html`<${Peers} peers=${data.nodePeers} />`}
    <//>`;
}

const Peers = ({ peers }) =>
  html`<${CsvButton} name="nodes" rows=${peers} /><${Table} id="list" label="Peers" rows=${peers} columns=${[
    ["Name", ({ friendlyName }) => friendlyName],
    ["Address", ({ host, port }) => `${host}:${port}`],
    ["Version", ({ version }) => nodeVersion(version)],
    ["Roles", ({ roles }) => rolesOf(roles)],
  ]} />`;
