import { firstHarvested, HARVESTED_BLOCKS } from "../../list-variables.ts";
import { accountColumn, countColumn, figureColumn, rankColumn } from "../columns.js";
import { CsvTable } from "../csv.js";
import { html } from "../dom.js";
import { count, nodeVersion, rolesOf } from "../format.js";
import { answered, useQuery } from "../graphql.js";
import { Heading } from "../page.js";
import { Section } from "../values.js";
import { words } from "../words.js";

// Lists that one answer has: of harvesters, and of the nodes that ours knows.

const HARVESTER_COLUMNS = [
  rankColumn(),
  accountColumn("account", (row) => row, "main flexible", false),
  figureColumn("rewards", ({ value }) => ({ amount: value })),
  countColumn("blocks", ({ count: blocks }) => blocks, "number end labelled"),
];
const NODE_COLUMNS = [
  ["name", ({ friendlyName }) => friendlyName, "main flexible"],
  ["address", ({ host, port }) => `${host}:${port}`, "flexible"],
  ["version", ({ version }) => nodeVersion(version), "aside"],
  ["roles", ({ roles }) => rolesOf(roles), "end"],
];

export function HarvestersPage() {
  const head = useQuery("height", {}, 0);
  const fromHeight = head.data && firstHarvested(head.data.head.height);
  const answer = useQuery(head.data && "harvesters", { fromHeight }, 0);
  const list = { kind: "harvesters", title: "harvestRewards", columns: HARVESTER_COLUMNS };
  return html`<${WholeList} ...${list} answer=${head.failure ? head : answer} rowsOf=${({ ranking }) => ranking} />`;
}

export const NodesPage = () =>
  html`<${WholeList} kind="nodes" title="peers" columns=${NODE_COLUMNS} answer=${useQuery("peers", {}, 0)} rowsOf=${({ nodePeers }) => nodePeers} />`;

const WholeList = ({ kind, title, columns, answer, rowsOf }) =>
  html`<${Heading} text=${words(kind)} />
    <${Section} title=${title} values=${{ count: count(HARVESTED_BLOCKS) }}>
      ${answered(answer, (data) => html`<${CsvTable} id="list" label=${kind} name=${kind} rows=${rowsOf(data)} columns=${columns} />`)}
    <//>`;
