import { html, useState } from "htm/preact/standalone";
import { count, formatAmount, percent } from "../format.js";
import { useQuery } from "../graphql.js";
import { MetadataTable } from "../metadata.js";
import { Heading, Missing } from "../page.js";
import { SupplyChart } from "../supply-chart.js";
import { PagedTable } from "../table.js";
import { AccountLink, BlockLink, Copy, Facts, Section } from "../values.js";
import { words } from "../words.js";

const FLAGS = [
  [1, "flag.supplyMutable"],
  [2, "flag.transferable"],
  [4, "flag.restrictable"],
  [8, "flag.revokable"],
];

export function MosaicPage({ id, version }) {
  const { data, failure } = useQuery("mosaic", { id }, version);
  const mosaic = data?.mosaic;
  if (!mosaic) return html`<${Missing} kind="mosaic" text=${id} failure=${failure} isLoading=${!data} />`;
  const { mosaicId, names, supply, divisibility, flags, duration, startHeight } = mosaic;
  const end = Number(startHeight) + Number(duration);
  return html`
    <${Heading} kind="mosaic" text=${names[0] ?? mosaicId}>${names[0] ?? ""} <code>${mosaicId}</code> <${Copy} text=${mosaicId} what="mosaicId" /><//>
    <${Section} title="overview">
      <${Facts} rows=${[
        ["names", names.length > 0 ? names.join(words("comma")) : words("none")],
        ["supply", formatAmount(supply, divisibility), "supply"],
        ["divisibility", String(divisibility), "divisibility"],
        ["creator", html`<${AccountLink} address=${mosaic.ownerAddress} names=${mosaic.owner?.names} />`, "owner"],
        ["fromBlock", html`<${BlockLink} height=${startHeight} />`, "startHeight"],
        [
          "untilBlock",
          duration === "0" ? words("neverExpires") : html`<${End} height=${end} head=${data.indexStatus.height} />`,
        ],
        [
          "properties",
          FLAGS.filter(([bit]) => flags & bit)
            .map(([, name]) => words(name))
            .join(words("comma")) || words("none"),
        ],
        ["revision", count(mosaic.revision)],
      ]} />
    <//>
    <${Section} title="supplyOverTime"><${SupplyChart} mosaic=${mosaic} height=${data.indexStatus.height} version=${version} /><//>
    <${Section} title="topHolders">
      <${PagedTable} id="holders" label="topHolders" query="holders" variables=${{ id }} version=${version}
        pick=${(answer) => answer.mosaic.holders} columns=${[
          ["account", ({ address, account }) => html`<${AccountLink} address=${address} names=${account.names} />`],
          ["amount", ({ amount }) => formatAmount(amount, divisibility, true), "number"],
          ["share", ({ share }) => (share === null ? "" : percent(share)), "number"],
        ]} />
    <//>
    <${Section} title="pastHolders"><${PastHolders} mosaic=${mosaic} height=${data.indexStatus.height} /><//>
    ${mosaic.metadata.data.length > 0 && html`<${Section} title="metadata"><${MetadataTable} rows=${mosaic.metadata.data} /><//>`}`;
}

/** A height that may be beyond the newest block. */
const End = ({ height, head }) => (height > head ? count(height) : html`<${BlockLink} height=${height} />`);

/** Who held a mosaic after any block. */
function PastHolders({ mosaic: { mosaicId, divisibility }, height }) {
  const [chosen, setChosen] = useState(height);
  const choose = ({ target }) => {
    if (target.value !== "" && target.checkValidity()) setChosen(Number(target.value));
  };
  return html`
    <form class="filter" onSubmit=${(event) => event.preventDefault()}>
      <label>${words("height")} <input id="holders-height" type="number" min="1" max=${height} value=${chosen} onChange=${choose} /></label>
    </form>
    <${PagedTable} id="past-holders" label="pastHolders" query="pastHolders" variables=${{ id: mosaicId, height: chosen }}
      pick=${(answer) => answer.holdersAt} columns=${[
        ["account", ({ address }) => html`<${AccountLink} address=${address} />`],
        ["amount", ({ amount }) => formatAmount(amount, divisibility, true), "number"],
      ]} />`;
}
