import { html } from "./dom.js";
import { BlockLink, Time } from "./values.js";
import { counted, words } from "./words.js";

// The way of a transaction: announced, (cosigned,) unconfirmed, in a block, finalized.

const STATE = { done: "✓", current: "…", open: "○" };

/** @param head the newest height */
export function Lifecycle({ transaction, confirmed, head }) {
  const steps = confirmed ? stepsOfConfirmed(confirmed, head) : stepsOfPending(transaction);
  return html`<ol class="lifecycle">
    ${steps.map(({ state, text }) => html`<li data-state=${state}><span aria-hidden="true">${STATE[state]}</span> ${text}<span class="hidden"> (${words(`state.${state}`)})</span></li>`)}
  </ol>`;
}

function stepsOfConfirmed({ height, timestamp, block }, head) {
  const values = {
    block: html`<${BlockLink} height=${height} />`,
    time: html`<${Time} timestamp=${timestamp} />`,
    confirmations: html`<span data-field="confirmations">${counted("confirmations", head - height + 1)}</span>`,
  };
  const last = block?.isFinalized ? ["done", "step.finalized"] : ["current", "step.toBeFinalized"];
  return [
    { state: "done", text: words("step.block", values) },
    { state: last[0], text: words(last[1]) },
  ];
}

function stepsOfPending({ group, cosignatures }) {
  const isPartial = group === "partial";
  return [
    { state: "done", text: words("step.announced") },
    ...(isPartial ? [{ state: "current", text: words("step.cosignatures", { count: cosignatures.length }) }] : []),
    { state: isPartial ? "open" : "current", text: words("step.unconfirmed") },
    { state: "open", text: words("step.finalized") },
  ];
}
