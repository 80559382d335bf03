import { chain } from "../chain.js";
import { html } from "../dom.js";
import { count, duration, formatAmount } from "../format.js";
import { useQuery } from "../graphql.js";
import { Heading, Part } from "../page.js";
import { Table } from "../table.js";
import { CurrencyAmount, digits, Facts, MosaicLink } from "../values.js";
import { counted, words } from "../words.js";

/** An amount in whole units with all decimal places. */
const formatWhole = (text) => formatAmount(text.replace(".", ""), text.split(".")[1]?.length ?? 0);
const currency = (amount) => html`<${CurrencyAmount} amount=${amount} />`;

const RANGE = ["averageFeeMultiplier", "lowestFeeMultiplier", "highestFeeMultiplier"];

/** The facts of each document. The node's resource files may be missing: each part of the page fails by itself. */
const FACTS = {
  network: ({ network: { description, identifier, generationHashSeed } }) => [
    ["description", description || false],
    ["identifier", String(identifier)],
    digits("generationHashSeed", generationHashSeed),
  ],
  supply: ({ currency: { mosaicId, divisibility, maxSupply, totalSupply, circulatingSupply } }) => [
    ["mosaic", html`<${MosaicLink} id=${mosaicId} names=${chain.currency.names} />`],
    ["divisibility", String(divisibility)],
    ["supply", formatWhole(totalSupply), "totalSupply"],
    ["circulatingSupply", formatWhole(circulatingSupply)],
    ["maximumSupply", formatWhole(maxSupply)],
  ],
  finalization: ({ finalizationLag, chain: { latestFinalizedBlock: last } }) => [
    ["finalizedHeight", count(finalizationLag.finalizedHeight)],
    ["epochAndPoint", `${count(last.finalizationEpoch)}, ${count(last.finalizationPoint)}`],
    ["behindTheHead", behind(finalizationLag.blocks, finalizationLag.seconds)],
  ],
  rents: ({ transactionFees: fees, rentalFees: rent }) => [
    ["medianFeeMultiplier", count(fees.medianFeeMultiplier)],
    ["multiplierRange", RANGE.map((name) => count(fees[name])).join(words("comma"))],
    ["minFeeMultiplier", count(fees.minFeeMultiplier)],
    ["rootNamespace", currency(rent.effectiveRootNamespaceRentalFeePerBlock)],
    ["childNamespace", currency(rent.effectiveChildNamespaceRentalFee)],
    ["mosaic", currency(rent.effectiveMosaicRentalFee)],
  ],
};
const TITLES = { network: "network", supply: "currency", finalization: "finalization", rents: "fees" };

export function NetworkPage({ version }) {
  const answerOf = (name) => useQuery(name, {}, version);
  return html`<${Heading} kind="network" text="" />
    ${Object.entries(FACTS).map(([name, rowsOf]) => html`<${Part} title=${TITLES[name]} answer=${answerOf(name)} rowsOf=${rowsOf} isHalf />`)}
    <${Part} title="inflation" answer=${answerOf("inflation")} view=${inflationOf} />
    <${Part} title="configuration" answer=${answerOf("configuration")} view=${configurationOf} />`;
}

/** How far something is behind; null while the node does not say. */
export const behind = (blocks, seconds) =>
  blocks === null
    ? words("noResponse")
    : words("behind", { blocks: counted("blocks", blocks), duration: duration(seconds) });

function inflationOf({ inflation, head: { height } }) {
  const current = [...inflation].reverse().find(({ startHeight }) => startHeight <= height);
  return html`<details><summary>${current ? words("inflationNow", { amount: currency(current.rewardAmount) }) : words("noneYet")}</summary>
    <${Table} id="inflation" label="inflation" rows=${inflation} columns=${[
      ["fromBlock", ({ startHeight }) => count(startHeight), "number"],
      ["perBlock", ({ rewardAmount }) => currency(rewardAmount), "number"],
    ]} />
  </details>`;
}

const configurationOf = ({ networkConfiguration }) =>
  html`<div class="several">${networkConfiguration.map(({ name, properties }) => html`<details><summary>${name}</summary><${Facts} isRaw rows=${properties.map((one) => [one.name, one.value])} /></details>`)}</div>`;
