import { html, useState } from "htm/preact/standalone";
import { chain, unixMs } from "./chain.js";
import { count, dateAndTime, duration, formatAmount, short, typeName } from "./format.js";
import { pageOf } from "./place.js";
import { words } from "./words.js";

// The small pieces that pages are made of. Each shows one value, as people read it.

const COPIED_MS = 1_500;

/** Copies a text; `what` names it for those who cannot see where the button stands. */
export function Copy({ text, what }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    await writeClipboard(text);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), COPIED_MS);
  };
  return html`<button type="button" class="copy" onClick=${copy} aria-label=${words("copyOf", { what: words(what) })}>${words(isCopied ? "copied" : "copy")}</button>`;
}

/** Without HTTPS there is no clipboard API. */
async function writeClipboard(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

export const BlockLink = ({ height }) => html`<a href=${pageOf("block", height)}>${count(height)}</a>`;

export const AccountLink = ({ address, names = [], isShort = false }) =>
  html`<a href=${pageOf("account", address)} title=${address}>${names[0] ?? (isShort ? short(address) : address)}</a>`;

/** @param hash or the id of an embedded one, which a text names better */
export const TransactionLink = ({ hash, isShort = true, text = isShort ? short(hash) : hash }) =>
  html`<a href=${pageOf("transaction", hash)} title=${hash}><code>${text}</code></a>`;

export const MosaicLink = ({ id, names = [] }) =>
  html`<a href=${pageOf("mosaic", id)} title=${id}>${names[0] ?? id}</a>`;

export const NamespaceLink = ({ id, name }) => html`<a href=${pageOf("namespace", id)} title=${id}>${name ?? id}</a>`;

/** `mosaic` is null for a mosaic that no longer exists: its divisibility is unknown then. */
export function MosaicAmount({ amount, id, mosaic, sign = "", isFixed }) {
  const link = html`<${MosaicLink} id=${id} names=${mosaic?.names} />`;
  if (!mosaic) return html`<span class="amount">${sign}${words("atomicUnitsOf", { amount, mosaic: link })}</span>`;
  return html`<span class="amount">${sign}${formatAmount(amount, mosaic.divisibility, isFixed)} ${link}</span>`;
}

/** An amount of the network's currency. */
export function CurrencyAmount({ amount, isFixed }) {
  const { divisibility, name } = chain.currency;
  return html`<span class="amount">${formatAmount(amount, divisibility, isFixed)} ${name}</span>`;
}

/** The last time that a `Date` can have. */
const LAST_DATE_MS = 8.64e15;

/** A timestamp of the chain in local time. */
export function Time({ timestamp }) {
  const ms = unixMs(timestamp);
  // A deadline may be any number.
  if (ms === undefined || ms > LAST_DATE_MS) return words("afterEpoch", { ms: count(timestamp) });
  return html`<time datetime=${new Date(ms).toISOString()}>${dateAndTime(ms)}</time>`;
}

export function Age({ timestamp }) {
  const ms = unixMs(timestamp);
  return ms === undefined ? "" : words("ago", { duration: duration(Math.max(0, Date.now() - ms) / 1_000) });
}

/** A value of hex digits in full, with a button that copies it. */
export const Digits = ({ value, what }) => html`<code>${value}</code> <${Copy} text=${value} what=${what} />`;

/** Types by what they are about, which gives them their colour; all others are about accounts. */
const KINDS = {
  transfer: [16_724],
  aggregate: [16_705, 16_961],
  mosaic: [16_717, 16_964, 16_973, 17_229, 16_721, 16_977],
  namespace: [16_718, 16_974, 17_220, 17_230],
  lock: [16_712, 16_722, 16_978],
};
const kindOf = (type) => Object.keys(KINDS).find((kind) => KINDS[kind].includes(type)) ?? "account";

export const Type = ({ type }) => html`<span class="type" data-kind=${kindOf(type)}>${typeName(type)}</span>`;

export const YesNo = ({ value }) =>
  html`<span class="state" data-state=${value ? "done" : "open"}>${words(value ? "yes" : "no")}</span>`;

/**
 * A list of names and values; those that are undefined or null are left out.
 * @param isRaw whether names are shown as they are, such as those of settings
 */
export function Facts({ rows, isRaw = false }) {
  const shown = rows.filter(([, value]) => value !== undefined && value !== null);
  return html`<dl class="facts">
    ${shown.map(([name, value, field]) => html`<div><dt>${isRaw ? name : words(name)}</dt><dd data-field=${field}>${value}</dd></div>`)}
  </dl>`;
}

/** A part of a page with its heading, whose text may have places for values. */
export const Section = ({ title, values, children, id }) =>
  html`<section id=${id}><h2>${words(title, values)}</h2>${children}</section>`;
