import { count, duration } from "../../format.js";
import { formatAmount } from "../amounts.js";
import { chain } from "../chain.js";
import { html } from "../library.js";
import { Heading } from "../page.js";
import { useQuery } from "../query.js";
import { Table } from "../table.js";
import { CurrencyAmount, Digits, Facts, MosaicLink, Section } from "../values.js";

// The node's resource files may be missing: each part of the page is a query of its own and fails by itself.

const PARTS = [
  ["Network", "network", Network],
  ["Currency", "supply", Currency],
  ["Finalization", "finalization", Finalization],
  ["Fees", "rents", Fees],
  ["Inflation", "inflation", Inflation],
  ["Configuration", "configuration", Configuration],
];

export function NetworkPage({ version }) {
  return html`<${Heading} kind="Network" text="" />
    ${PARTS.map(([title, query, View]) => html`<${Part} title=${title} query=${query} view=${View} version=${version} />`)}`;
}

function Part({ title, query, view: View, version }) {
  const { data, failure } = useQuery(query, {}, version);
  return html`<${Section} title=${title}>
    ${failure ? html`<p role="alert" class="failure">${failure}</p>` : data ? html`<${View} ...${data} />` : html`<p class="note">loading</p>`}
  <//>`;
}

function Network({ network: { name, description, identifier, generationHashSeed } }) {
  return html`<${Facts} rows=${[
    ["Name", name, "name"],
    ["Description", description || undefined],
    ["Identifier", String(identifier), "identifier"],
    [
      "Generation hash seed",
      html`<${Digits} value=${generationHashSeed} what="generation hash seed" />`,
      "generationHashSeed",
    ],
  ]} />`;
}

/** An amount in whole units with all decimal places. */
const formatWhole = (text) => formatAmount(text.replace(".", ""), text.split(".")[1]?.length ?? 0);

function Currency({ currency: { mosaicId, divisibility, maxSupply, totalSupply, circulatingSupply } }) {
  return html`<${Facts} rows=${[
    ["Mosaic", html`<${MosaicLink} id=${mosaicId} names=${chain.currency.name === "" ? [] : [chain.currency.name]} />`],
    ["Divisibility", String(divisibility)],
    ["Supply", formatWhole(totalSupply), "totalSupply"],
    ["Circulating supply", formatWhole(circulatingSupply)],
    ["Maximum supply", formatWhole(maxSupply)],
  ]} />`;
}

function Finalization({ finalizationLag: { finalizedHeight, blocks, seconds }, chain: { latestFinalizedBlock } }) {
  return html`<${Facts} rows=${[
    ["Finalized height", count(finalizedHeight), "finalizedHeight"],
    [
      "Epoch and point",
      `${count(latestFinalizedBlock.finalizationEpoch)}, ${count(latestFinalizedBlock.finalizationPoint)}`,
    ],
    ["Behind the head", `${count(blocks)} blocks, ${duration(seconds)}`],
  ]} />`;
}

function Fees({ transactionFees: fees, rentalFees: rent }) {
  return html`<${Facts} rows=${[
    ["Median fee multiplier", count(fees.medianFeeMultiplier)],
    [
      "Average, lowest, highest",
      [fees.averageFeeMultiplier, fees.lowestFeeMultiplier, fees.highestFeeMultiplier].map(count).join(", "),
    ],
    ["Least that the node accepts", count(fees.minFeeMultiplier)],
    ["Root namespace, per block", html`<${CurrencyAmount} amount=${rent.effectiveRootNamespaceRentalFeePerBlock} />`],
    ["Child namespace", html`<${CurrencyAmount} amount=${rent.effectiveChildNamespaceRentalFee} />`],
    ["Mosaic", html`<${CurrencyAmount} amount=${rent.effectiveMosaicRentalFee} />`],
  ]} />`;
}

function Inflation({ inflation, indexStatus: { height } }) {
  const current = inflation.findLast(({ startHeight }) => startHeight <= height);
  return html`<details><summary>${current ? html`now <${CurrencyAmount} amount=${current.rewardAmount} /> per block` : "none yet"}</summary>
    <${Table} id="inflation" label="Inflation" rows=${inflation} columns=${[
      ["From block", ({ startHeight }) => count(startHeight)],
      ["Per block", ({ rewardAmount }) => html`<${CurrencyAmount} amount=${rewardAmount} />`],
    ]} />
  </details>`;
}

function Configuration({ networkConfiguration }) {
  return networkConfiguration.map(
    ({ name, properties }) => html`<details>
      <summary>${name}</summary>
      <${Facts} rows=${properties.map((property) => [property.name, property.value])} />
    </details>`,
  );
}
