import { chain } from "../chain.js";
import { html } from "../dom.js";
import { count, duration, formatAmount } from "../format.js";
import { answered, useQuery } from "../graphql.js";
import { Heading } from "../page.js";
import { Table } from "../table.js";
import { CurrencyAmount, Digits, Facts, MosaicLink, Section } from "../values.js";
import { counted, words } from "../words.js";

// The node's resource files may be missing: each part of the page is a query of its own and fails by itself.

const PARTS = [
  ["network", "network", Network],
  ["currency", "supply", Currency],
  ["finalization", "finalization", Finalization],
  ["fees", "rents", Fees],
];
const WIDE_PARTS = [
  ["inflation", "inflation", Inflation],
  ["configuration", "configuration", Configuration],
];

export function NetworkPage({ version }) {
  return html`<${Heading} kind="network" text="" />
    ${[...PARTS, ...WIDE_PARTS].map(([title, query, View]) => html`<${Part} title=${title} query=${query} view=${View} version=${version} isHalf=${PARTS.some(([one]) => one === title)} />`)}`;
}

function Part({ title, query, view: View, version, isHalf }) {
  return html`<${Section} title=${title} isHalf=${isHalf}>${answered(useQuery(query, {}, version), (data) => html`<${View} ...${data} />`)}<//>`;
}

function Network({ network: { description, identifier, generationHashSeed } }) {
  return html`<${Facts} rows=${[
    ["description", description || undefined],
    ["identifier", String(identifier)],
    [
      "generationHashSeed",
      html`<${Digits} value=${generationHashSeed} what="generationHashSeed" />`,
      "generationHashSeed",
    ],
  ]} />`;
}

/** An amount in whole units with all decimal places. */
const formatWhole = (text) => formatAmount(text.replace(".", ""), text.split(".")[1]?.length ?? 0);

function Currency({ currency: { mosaicId, divisibility, maxSupply, totalSupply, circulatingSupply } }) {
  return html`<${Facts} rows=${[
    ["mosaic", html`<${MosaicLink} id=${mosaicId} names=${chain.currency.name === "" ? [] : [chain.currency.name]} />`],
    ["divisibility", String(divisibility)],
    ["supply", formatWhole(totalSupply), "totalSupply"],
    ["circulatingSupply", formatWhole(circulatingSupply)],
    ["maximumSupply", formatWhole(maxSupply)],
  ]} />`;
}

function Finalization({ finalizationLag: { finalizedHeight, blocks, seconds }, chain: { latestFinalizedBlock } }) {
  return html`<${Facts} rows=${[
    ["finalizedHeight", count(finalizedHeight)],
    [
      "epochAndPoint",
      `${count(latestFinalizedBlock.finalizationEpoch)}, ${count(latestFinalizedBlock.finalizationPoint)}`,
    ],
    ["behindTheHead", words("behind", { blocks: counted("blocks", blocks), duration: duration(seconds) })],
  ]} />`;
}

function Fees({ transactionFees: fees, rentalFees: rent }) {
  return html`<${Facts} rows=${[
    ["medianFeeMultiplier", count(fees.medianFeeMultiplier)],
    [
      "multiplierRange",
      [fees.averageFeeMultiplier, fees.lowestFeeMultiplier, fees.highestFeeMultiplier].map(count).join(", "),
    ],
    ["minFeeMultiplier", count(fees.minFeeMultiplier)],
    ["rootNamespace", html`<${CurrencyAmount} amount=${rent.effectiveRootNamespaceRentalFeePerBlock} />`],
    ["childNamespace", html`<${CurrencyAmount} amount=${rent.effectiveChildNamespaceRentalFee} />`],
    ["mosaic", html`<${CurrencyAmount} amount=${rent.effectiveMosaicRentalFee} />`],
  ]} />`;
}

function Inflation({ inflation, indexStatus: { height } }) {
  const current = [...inflation].reverse().find(({ startHeight }) => startHeight <= height);
  return html`<details><summary>${current ? words("inflationNow", { amount: html`<${CurrencyAmount} amount=${current.rewardAmount} />` }) : words("noneYet")}</summary>
    <${Table} id="inflation" label="inflation" rows=${inflation} columns=${[
      ["fromBlock", ({ startHeight }) => count(startHeight), "number"],
      ["perBlock", ({ rewardAmount }) => html`<${CurrencyAmount} amount=${rewardAmount} isFixed />`, "number"],
    ]} />
  </details>`;
}

function Configuration({ networkConfiguration }) {
  return html`<div class="several">${networkConfiguration.map(
    ({ name, properties }) => html`<details>
      <summary>${name}</summary>
      <${Facts} isRaw rows=${properties.map((property) => [property.name, property.value])} />
    </details>`,
  )}</div>`;
}
