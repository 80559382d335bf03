import { html } from "./library.js";
import { BlockLink, Time } from "./values.js";

// The way of a transaction: announced, (cosigned,) unconfirmed, in a block, finalized.

const STATE = { done: "✓", current: "…", open: "○" };

export function Lifecycle({ transaction, confirmed }) {
  const steps = confirmed ? stepsOfConfirmed(confirmed) : stepsOfPending(transaction);
  return html`<ol class="lifecycle">
    ${steps.map(({ state, text }) => html`<li data-state=${state}><span aria-hidden="true">${STATE[state]}</span> ${text}<span class="hidden"> (${state})</span></li>`)}
  </ol>`;
}

function stepsOfConfirmed({ height, timestamp, block }) {
  return [
    { state: "done", text: html`in block <${BlockLink} height=${height} />, <${Time} timestamp=${timestamp} />` },
    { state: block?.isFinalized ? "done" : "current", text: block?.isFinalized ? "finalized" : "to be finalized" },
  ];
}

function stepsOfPending({ group, cosignatures }) {
  const isPartial = group === "partial";
  return [
    { state: "done", text: "announced" },
    ...(isPartial ? [{ state: "current", text: `collects cosignatures (${cosignatures.length} so far)` }] : []),
    { state: isPartial ? "open" : "current", text: "unconfirmed: pending for a block" },
    { state: "open", text: "finalized" },
  ];
}
