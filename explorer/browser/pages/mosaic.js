import { SupplyChart } from "../charts/supply-chart.js";
import { holderColumns, shareColumn } from "../columns.js";
import { html, useState } from "../dom.js";
import { count, formatAmount, propertiesOf } from "../format.js";
import { ask, useQuery } from "../graphql.js";
import { Metadata } from "../metadata.js";
import { KeyHeading, Missing } from "../page.js";
import { PagedTable, Table } from "../table.js";
import { accountFact, BlockLink, Facts, MosaicEnd, Section, Time } from "../values.js";
import { words } from "../words.js";

/** Of the 100 that are read. */
const MAX_PAST_HOLDERS = 20;

export function MosaicPage({ id, version }) {
  const { data, failure } = useQuery("mosaic", { id }, version);
  const mosaic = data?.mosaic;
  if (!mosaic) return html`<${Missing} kind="mosaic" text=${id} failure=${failure} isLoading=${!data} />`;
  const { mosaicId, names, supply, divisibility, flags, startHeight } = mosaic;
  const head = data.head.height;
  return html`
    <${KeyHeading} kind="mosaic" name=${names[0]} id=${mosaicId} what="mosaicId" />
    <${Section} title="overview" isHalf>
      <${Facts} rows=${[
        ["names", names.length > 0 ? names.join(words("comma")) : words("none")],
        ["supply", formatAmount(supply, divisibility)],
        ["divisibility", String(divisibility)],
        accountFact("creator", mosaic.owner, mosaic.ownerAddress),
        ["fromBlock", html`<${BlockLink} height=${startHeight} />`, "startHeight"],
        ["untilBlock", html`<${MosaicEnd} ...${mosaic} head=${head} />`],
        ["properties", propertiesOf(flags)],
        ["revision", count(mosaic.revision)],
      ]} />
    <//>
    <${Section} title="supplyOverTime" isHalf><${SupplyChart} mosaic=${mosaic} height=${head} /><//>
    <${Section} title="topHolders" isHalf>
      <${PagedTable} id="holders" label="topHolders" query="holders" variables=${{ id }} version=${version}
        pick=${(answer) => answer.mosaic.holders} columns=${[
          ...holderColumns(divisibility),
          shareColumn(({ share }) => share ?? 0),
        ]} />
    <//>
    <${Section} title="pastHolders" isHalf><${PastHolders} mosaic=${mosaic} height=${head} /><//>
    <${Metadata} rows=${mosaic.metadata.data} />`;
}

/** Who held most of a mosaic after any block, or at the end of any day. */
function PastHolders({ mosaic: { mosaicId, divisibility }, height: head }) {
  const [height, setHeight] = useState(head);
  const [problem, setProblem] = useState();
  const variables = { id: mosaicId, height };
  const table = { id: "past-holders", label: "pastHolders", columns: holderColumns(divisibility) };
  // With more balances than can be sorted at once, there are only all of them, in the order of the chain.
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
    <p class="note" id="holders-time">${time?.block && words("afterBlock", { block: html`<${BlockLink} height=${height} />`, time: html`<${Time} timestamp=${time.block.timestamp} />` })}</p>
    ${problem && html`<p role="alert" class="failure">${problem}</p>`}
    ${data && html`<${Table} ...${table} rows=${data.topHoldersAt.slice(0, MAX_PAST_HOLDERS)} />`}
    ${failure && html`<${PagedTable} ...${table} query="pastHolders" variables=${variables} pick=${(answer) => answer.holdersAt} />`}`;
}
