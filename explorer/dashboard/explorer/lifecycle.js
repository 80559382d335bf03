import { things } from "../format.js";
import { html } from "./library.js";
import { BlockLink, Time } from "./values.js";

// The way of a transaction: announced, (cosigned,) unconfirmed, in a block, finalized.

const STATE = { done: "✓", current: "…", open: "○" };

/** @param head the newest height */
export function Lifecycle({ transaction, confirmed, head }) {
  const steps = confirmed ? stepsOfConfirmed(confirmed, head) : stepsOfPending(transaction);
  return html`<ol class="lifecycle">
    ${steps.map(({ state, text }) => html`<li data-state=${state}><span aria-hidden="true">${STATE[state]}</span> ${text}<span class="hidden"> (${state})</span></li>`)}
  </ol>`;
}

function stepsOfConfirmed({ height, timestamp, block }, head) {
  const confirmations = html`<span data-field="confirmations">${things(head - height + 1, "confirmation")}</span>`;
  return [
    {
      state: "done",
      text: html`in block <${BlockLink} height=${height} />, <${Time} timestamp=${timestamp} />: ${confirmations}`,
    },
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
