import { accountColumn, countColumn, figureColumn, rankColumn } from "../columns.js";
import { CsvButton } from "../csv.js";
import { html } from "../dom.js";
import { count } from "../format.js";
import { useQuery } from "../graphql.js";
import { Heading } from "../page.js";
import { Table } from "../table.js";
import { Section } from "../values.js";
import { words } from "../words.js";

/** About 30 days on the main network, where a block comes every 30 seconds. */
const BLOCKS = 86_400;

export function HarvestersPage() {
  const { data: head, failure } = useQuery("height", {}, 0);
  const fromHeight = head && Math.max(1, head.indexStatus.height - BLOCKS + 1);
  const { data, failure: other } = useQuery(head && "harvesters", { fromHeight }, 0);
  return html`<${Heading} text=${words("harvesters")} />
    <${Section} title="harvestRewards" values=${{ count: count(BLOCKS) }}>
      ${(failure || other) && html`<p role="alert" class="failure">${failure || other}</p>`}
      ${
        data &&
        html`<${Table} id="list" label="harvesters" rows=${data.ranking} columns=${[
          rankColumn(),
          accountColumn("account", (row) => row, "main flexible", false),
          figureColumn("rewards", ({ value }) => ({ amount: value })),
          countColumn("blocks", ({ count: blocks }) => blocks, "number end labelled"),
        ]} /><${CsvButton} name="harvesters" rows=${data.ranking} />`
      }
    <//>`;
}
