import { chain } from "../chain.js";
import { html } from "../dom.js";
import { answered, useQuery } from "../graphql.js";
import { words } from "../words.js";
import { blockPoint, Chart } from "./chart.js";

// A mosaic's supply, computed from today's backwards: changes by its creator, and for the currency inflation.

const INCREASE = 1;

export function SupplyChart({ mosaic: { mosaicId, owner, supply, divisibility }, height }) {
  const isCurrency = mosaicId === chain.currency.mosaicId;
  const inflation = useQuery(isCurrency ? "inflation" : undefined, {}, 0);
  if (isCurrency && !inflation.data) return answered(inflation);
  const ids = idsOf(mosaicId, owner?.namespaces.data ?? []);
  const changes = (owner?.transactions.data ?? []).filter(({ body }) => ids.includes(body.transaction.mosaicId));
  const steps = [...changes.map(stepOf), ...(isCurrency ? inflationSteps(inflation.data.inflation, height) : [])];
  const { points, rest } = supplyAt(steps, BigInt(supply), height);
  const shown = points.map((point) => blockPoint(point, point.supply, divisibility));
  return html`
    <${Chart} id="supply-history" label="supply" points=${shown} />
    ${rest !== 0n && html`<p class="note">${words("supplyIncomplete")}</p>`}`;
}

/** The ids by which the creator may have named the mosaic: its own, and those of the creator's aliases. */
function idsOf(mosaicId, namespaces) {
  const aliases = namespaces.filter(({ alias }) => alias.mosaicId === mosaicId);
  return [mosaicId, ...aliases.map(({ namespaceId }) => namespaceId)];
}

function stepOf({ height, timestamp, body: { transaction } }) {
  const delta = BigInt(transaction.delta);
  return { height, timestamp, delta: transaction.action === INCREASE ? delta : -delta };
}

/** The inflation up to `height`, one step for each reward: it ends with the first block of the next one, or now. */
function inflationSteps(rewards, height) {
  return rewards.flatMap(({ startHeight, rewardAmount }, index) => {
    const next = rewards[index + 1];
    const last = Math.min(height, (next?.startHeight ?? height + 1) - 1);
    const delta = BigInt(rewardAmount) * BigInt(last - startHeight + 1);
    return last < startHeight ? [] : [{ height: last, timestamp: next?.block?.timestamp, delta }];
  });
}

/** The supply after each step, oldest first, and what is left below all of them. */
function supplyAt(steps, supply, height) {
  const newestFirst = [...steps].sort((a, b) => b.height - a.height);
  const points = [{ height, supply }];
  let rest = supply;
  for (const step of newestFirst) {
    if (step.height < height) points.push({ height: step.height, timestamp: step.timestamp, supply: rest });
    rest -= step.delta;
  }
  return { points: points.reverse(), rest };
}
