import { count } from "../../format.js";
import { formatAmount } from "../amounts.js";
import { html } from "../library.js";
import { MetadataTable } from "../metadata.js";
import { Heading, Missing } from "../page.js";
import { PastHolders } from "../past-holders.js";
import { useQuery } from "../query.js";
import { SupplyChart } from "../supply-chart.js";
import { PagedTable } from "../table.js";
import { AccountLink, BlockLink, Copy, Facts, Section } from "../values.js";

const FLAGS = [
  [1, "supply mutable"],
  [2, "transferable"],
  [4, "restrictable"],
  [8, "revokable"],
];

export function MosaicPage({ id, version }) {
  const { data, failure } = useQuery("mosaic", { id }, version);
  const mosaic = data?.mosaic;
  if (!mosaic) return html`<${Missing} kind="Mosaic" text=${id} failure=${failure} isLoading=${!data} />`;
  const { mosaicId, names, supply, divisibility, flags, duration, startHeight } = mosaic;
  return html`
    <${Heading} kind="Mosaic" text=${names[0] ?? mosaicId}>${names[0] ?? ""} <code>${mosaicId}</code> <${Copy} text=${mosaicId} what="mosaic id" /><//>
    <${Section} title="Overview">
      <${Facts} rows=${[
        ["Names", names.length > 0 ? names.join(", ") : "none"],
        ["Supply", formatAmount(supply, divisibility), "supply"],
        ["Divisibility", String(divisibility), "divisibility"],
        ["Creator", html`<${AccountLink} address=${mosaic.ownerAddress} names=${mosaic.owner?.names} />`, "owner"],
        ["From block", html`<${BlockLink} height=${startHeight} />`, "startHeight"],
        [
          "Until block",
          duration === "0" ? "never expires" : html`<${BlockLink} height=${Number(startHeight) + Number(duration)} />`,
        ],
        [
          "Properties",
          FLAGS.filter(([bit]) => flags & bit)
            .map(([, name]) => name)
            .join(", ") || "none",
        ],
        ["Revision", count(mosaic.revision)],
      ]} />
    <//>
    <${Section} title="Supply over time"><${SupplyChart} mosaic=${mosaic} height=${data.indexStatus.height} version=${version} /><//>
    <${Section} title="Top holders">
      <${PagedTable} id="holders" label="Top holders" query="holders" variables=${{ id }} version=${version}
        pick=${(answer) => answer.mosaic.holders} columns=${[
          ["Account", ({ address, account }) => html`<${AccountLink} address=${address} names=${account.names} />`],
          ["Amount", ({ amount }) => formatAmount(amount, divisibility), "number"],
          ["Share", ({ share }) => (share === null ? "" : `${(100 * Number(share)).toFixed(2)} %`), "number"],
        ]} />
    <//>
    <${Section} title="Holders at a height"><${PastHolders} mosaic=${mosaic} height=${data.indexStatus.height} /><//>
    ${mosaic.metadata.data.length > 0 && html`<${Section} title="Metadata"><${MetadataTable} rows=${mosaic.metadata.data} /><//>`}`;
}
