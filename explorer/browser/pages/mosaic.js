import { SupplyChart } from "../charts/supply-chart.js";
import { holderColumns, shareColumn } from "../columns.js";
import { html, useState } from "../dom.js";
import { count, formatAmount } from "../format.js";
import { ask, useQuery } from "../graphql.js";
import { Metadata } from "../metadata.js";
import { Heading, Missing } from "../page.js";
import { PagedTable, Table } from "../table.js";
import { AccountLink, BlockPosition, Copy, Facts, Section, Time } from "../values.js";
import { words } from "../words.js";

/** Of the 100 that are read. */
const MAX_PAST_HOLDERS = 20;

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
    <${Heading} kind="mosaic" text=${names[0] ?? mosaicId}>${names[0] || ""} <code class="faint" translate="no">${mosaicId}</code> <${Copy} text=${mosaicId} what="mosaicId" /><//>
    <${Section} title="overview" isHalf>
      <${Facts} rows=${[
        ["names", names.length > 0 ? names.join(words("comma")) : words("none")],
        ["supply", formatAmount(supply, divisibility)],
        ["divisibility", String(divisibility)],
        ["creator", html`<${AccountLink} address=${mosaic.ownerAddress} names=${mosaic.owner?.names} />`, "owner"],
        ["fromBlock", html`<${BlockPosition} height=${startHeight} />`, "startHeight"],
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
    <${Section} title="supplyOverTime" isHalf><${SupplyChart} mosaic=${mosaic} height=${data.indexStatus.height} version=${version} /><//>
    <${Section} title="topHolders" isHalf>
      <${PagedTable} id="holders" label="topHolders" query="holders" variables=${{ id }} version=${version}
        pick=${(answer) => answer.mosaic.holders} columns=${[
          ...holderColumns(divisibility),
          shareColumn(({ share }) => share ?? 0),
        ]} />
    <//>
    <${Section} title="pastHolders" isHalf><${PastHolders} mosaic=${mosaic} height=${data.indexStatus.height} /><//>
    <${Metadata} rows=${mosaic.metadata.data} />`;
}

/** A height that may be beyond the newest block. */
const End = ({ height, head }) => (height > head ? count(height) : html`<${BlockPosition} height=${height} />`);

/** Who held most of a mosaic after any block, or at the end of any day. */
function PastHolders({ mosaic: { mosaicId, divisibility }, height: head }) {
  const [height, setHeight] = useState(head);
  const [problem, setProblem] = useState();
  const variables = { id: mosaicId, height };
  const { data, failure } = useQuery("topHoldersAt", variables, 0);
  const { data: time } = useQuery("timeOfBlock", { height }, 0);
  const chooseHeight = ({ target }) => {
    if (target.value !== "" && target.checkValidity()) setHeight(Number(target.value));
  };
  const chooseDay = async ({ target }) => {
    if (target.value === "") return;
    const midnight = new Date(`${target.value}T00:00`);
    midnight.setDate(midnight.getDate() + 1);
    try {
      const { heightRange } = await ask("heightAt", { time: midnight.toISOString() });
      setHeight(Math.max(1, heightRange.toHeight));
      setProblem(undefined);
    } catch ({ message }) {
      setProblem(message);
    }
  };
  return html`
    <form class="filter" onSubmit=${(event) => event.preventDefault()}>
      <label>${words("endOfDay")} <input id="holders-day" type="date" onChange=${chooseDay} /></label>
      <label>${words("height")} <input id="holders-height" type="number" min="1" max=${head} value=${height} onChange=${chooseHeight} /></label>
    </form>
    <p class="note" id="holders-time">${time?.block && words("afterBlock", { block: html`<${BlockPosition} height=${height} />`, time: html`<${Time} timestamp=${time.block.timestamp} />` })}</p>
    ${problem && html`<p role="alert" class="failure">${problem}</p>`}
    ${
      failure
        ? // More balances than can be sorted at once: in the order of the chain.
          html`<${PagedTable} id="past-holders" label="pastHolders" query="pastHolders" variables=${variables}
            pick=${(answer) => answer.holdersAt} columns=${holderColumns(divisibility)} />`
        : data &&
          html`<${Table} id="past-holders" label="pastHolders" rows=${data.topHoldersAt.slice(0, MAX_PAST_HOLDERS)} columns=${holderColumns(divisibility)} />`
    }`;
}
