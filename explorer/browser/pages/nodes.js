import { CsvButton } from "../csv.js";
import { html } from "../dom.js";
import { nodeVersion } from "../format.js";
import { answered, useQuery } from "../graphql.js";
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
export const NodesPage = () =>
  html`<${Heading} text=${words("nodes")} />
    <${Section} title="peers">${answered(useQuery("peers", {}, 0), ({ nodePeers }) => html`<${Table} id="list" label="peers" rows=${nodePeers} columns=${COLUMNS} /><${CsvButton} name="nodes" rows=${nodePeers} />`)}<//>`;

const COLUMNS = [
  ["name", ({ friendlyName }) => friendlyName, "main flexible"],
  ["address", ({ host, port }) => `${host}:${port}`, "flexible"],
  ["version", ({ version }) => nodeVersion(version), "aside"],
  ["roles", ({ roles }) => rolesOf(roles), "end"],
];
