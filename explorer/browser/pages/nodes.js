import { html } from "htm/preact/standalone";
import { CsvButton } from "../csv.js";
import { nodeVersion } from "../format.js";
import { useQuery } from "../graphql.js";
import { Heading } from "../page.js";
import { Table } from "../table.js";
import { Section } from "../values.js";
import { words } from "../words.js";

const ROLES = [
  [1, "role.peer"],
  [2, "role.api"],
  [4, "role.voting"],
  [64, "role.ipv4"],
  [128, "role.ipv6"],
];

export const rolesOf = (roles) =>
  ROLES.filter(([bit]) => roles & bit)
    .map(([, name]) => words(name))
    .join(words("comma"));

/** The nodes that ours knows. */
export function NodesPage() {
  const { data, failure } = useQuery("peers", {}, 0);
  return html`<${Heading} kind="list" text=${words("nodes")} />
    <${Section} title="peers">
      ${failure && html`<p role="alert" class="failure">${failure}</p>`}
      ${data && html`<${Peers} peers=${data.nodePeers} />`}
    <//>`;
}

const Peers = ({ peers }) =>
  html`<${CsvButton} name="nodes" rows=${peers} /><${Table} id="list" label="peers" rows=${peers} columns=${[
    ["name", ({ friendlyName }) => friendlyName],
    ["address", ({ host, port }) => `${host}:${port}`],
    ["version", ({ version }) => nodeVersion(version)],
    ["roles", ({ roles }) => rolesOf(roles)],
  ]} />`;
