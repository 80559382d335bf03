import { accountVariables } from "../typed-text.ts";
import { chain, currencyText, unixMs } from "./chain.js";
import { now } from "./connection.js";
import { html, useEffect, useState } from "./dom.js";
import { count, dateAndTime, duration, formatAmount, short, splitZeros, typeName } from "./format.js";
import { useQuery } from "./graphql.js";
import { pageOf } from "./paths.js";
import { words } from "./words.js";

// The small pieces that pages are made of. Each shows one value, as people read it.

const COPIED_MS = 1_500;
const SECOND_MS = 1_000;

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

export const BlockLink = ({ height }) => html`<a href=${pageOf("block", height)} translate="no">${count(height)}</a>`;

/** An angle of the colour circle, so that accounts with similar names look different. */
const hueOf = (address) => [...address].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 360, 7);

/** A name comes with the beginning of its address: anybody may register one that looks like another. */
export function AccountLink({ address, names = [], isShort = false }) {
  const [name] = names;
  return html`<a class="account" href=${pageOf("account", address)} title=${address} translate="no"><i style=${`--hue: ${hueOf(address)}`}></i>${name ? [name, " ", html`<small>${address.slice(0, 6)}</small>`] : html`<code>${isShort ? short(address) : address}</code>`}</a>`;
}

/** An account's state beside its address or key, which is there without one. */
export const accountOf = (account, address) => ({ address: account?.address || address, names: account?.names });

// Bodies have ids, addresses and keys only: what people call these is looked up.

/** @param address or public key */
export const KnownAccount = ({ address, isShort = true }) =>
  html`<${AccountLink} ...${accountOf(useQuery("accountNames", accountVariables(address)).data?.account, address)} isShort=${isShort} />`;
const useMosaic = (id) => {
  const isCurrency = id === chain.currency.mosaicId;
  const { data } = useQuery(isCurrency ? undefined : "mosaicNames", { id });
  return isCurrency ? chain.currency : data?.mosaic;
};
export const KnownMosaic = ({ id }) => html`<${MosaicLink} id=${id} names=${useMosaic(id)?.names} />`;
export const KnownNamespace = ({ id }) =>
  html`<${NamespaceLink} id=${id} name=${useQuery("namespaceNames", { id }).data?.namespace?.name} />`;
/** An amount of a mosaic of which there is only its id. */
export const KnownAmount = ({ id, amount }) =>
  html`<${MosaicAmount} amount=${amount} id=${id} mosaic=${useMosaic(id)} />`;

/** @param hash or the id of an embedded one, which a text names better */
export const TransactionLink = ({ hash, isShort = true, text = isShort ? short(hash) : hash }) =>
  html`<a href=${pageOf("transaction", hash)} title=${hash} translate="no"><code>${text}</code></a>`;

export const MosaicLink = ({ id, names = [], kind }) =>
  html`<a class=${kind} href=${pageOf("mosaic", id)} title=${id} translate="no">${names[0] || id}</a>`;

export const NamespaceLink = ({ id, name }) =>
  html`<a href=${pageOf("namespace", id)} title=${id} translate="no">${name || id}</a>`;

/** The block with which a mosaic ends: a link unless it is above the newest height `head`. */
export function MosaicEnd({ startHeight, duration, head = 0 }) {
  if (duration === "0") return words("neverExpires");
  const end = Number(startHeight) + Number(duration);
  return end > head ? count(end) : html`<${BlockLink} height=${end} />`;
}

/** What a namespace points to, in words: names would be those of namespaces again. */
export function Alias({ address, mosaicId, isShort = true }) {
  const account = html`<${AccountLink} address=${address} isShort=${isShort} />`;
  if (address) return html`<span>${words("accountOf", { account })}</span>`;
  if (!mosaicId) return words("nothing");
  return html`<span>${words("mosaicOf", { mosaic: html`<${MosaicLink} id=${mosaicId} />` })}</span>`;
}

/** `mosaic` is null for a mosaic that no longer exists: its divisibility is unknown then. */
export function MosaicAmount({ amount, id, mosaic }) {
  const link = html`<${MosaicLink} id=${id} names=${mosaic?.names} />`;
  if (!mosaic) return html`<span class="amount">${words("atomicUnitsOf", { amount, mosaic: link })}</span>`;
  return html`<span class="amount" translate="no">${formatAmount(amount, mosaic.divisibility)} ${link}</span>`;
}

/** An amount of the network's currency. */
export const CurrencyAmount = ({ amount }) => html`<span class="amount" translate="no">${currencyText(amount)}</span>`;

/** An amount in a column, with all its decimal places: zeros at its end are grey, nothing is empty. */
export function Figure({ amount, divisibility = chain.currency.divisibility, sign = "", isEmptyZero = false }) {
  if (isEmptyZero && BigInt(amount) === 0n) return "";
  const [digits, zeros] = splitZeros(formatAmount(amount, divisibility, true));
  return html`<span class="amount" translate="no">${sign}${digits}${zeros && html`<span class="zeros">${zeros}</span>`}</span>`;
}

/** An amount of any mosaic in a column whose heading names the currency: the names of others stand before it. */
export function MosaicFigure({ amount, id, mosaic, sign = "" }) {
  if (id === chain.currency.mosaicId || mosaic?.names[0] === chain.currency.name)
    return html`<${Figure} amount=${amount} sign=${sign} />`;
  if (!mosaic) return html`<${MosaicAmount} amount=${amount} id=${id} />`;
  return html`<span class="other"><${MosaicLink} id=${id} names=${mosaic.names} kind="faint" /> <${Figure} amount=${amount} divisibility=${mosaic.divisibility} sign=${sign} /></span>`;
}

/** The last time that a `Date` can have. */
const LAST_DATE_MS = 8.64e15;

/** A timestamp of the chain in local time. @param isZoned whether its zone is named, unless a heading does */
export function Time({ timestamp, isZoned = true }) {
  const ms = unixMs(timestamp);
  // A deadline may be any number.
  if (ms === undefined || ms > LAST_DATE_MS) return html`<span>${words("afterEpoch", { ms: count(timestamp) })}</span>`;
  return html`<time datetime=${new Date(ms).toISOString()} title=${dateAndTime(ms)} translate="no">${dateAndTime(ms, isZoned)}</time>`;
}

/** How long ago a timestamp was, by the clock of the gateway; it counts by itself. */
export function Age({ timestamp }) {
  const ms = unixMs(timestamp);
  const textAt = () => words("ago", { duration: duration(Math.floor(Math.max(0, now() - ms) / SECOND_MS)) });
  const [, setText] = useState();
  useEffect(() => {
    const timer = setInterval(() => setText(textAt()), SECOND_MS);
    return () => clearInterval(timer);
  }, [ms]);
  return (
    ms !== undefined && html`<time datetime=${new Date(ms).toISOString()} title=${dateAndTime(ms)}>${textAt()}</time>`
  );
}

/** A fact of hex digits in full, with a button that copies it; left out while it is unknown. */
export const digits = (name, value, what = name, field = name) => [
  name,
  value && html`<code translate="no">${value}</code> <${Copy} text=${value} what=${what} />`,
  field,
];

/** @param account its state, if there is one, beside its address or key */
export const accountFact = (name, account, address) => [
  name,
  address && html`<${AccountLink} ...${accountOf(account, address)} />`,
];

/** Types with the hue of what they are about: transfers, aggregates, mosaics, namespaces, locks; all others accounts. */
const HUES = [
  [215, 16_724],
  [270, 16_705, 16_961],
  [28, 16_717, 16_964, 16_973, 17_229, 16_721, 16_977],
  [175, 16_718, 16_974, 17_220, 17_230],
  [325, 16_712, 16_722, 16_978],
];
const hueOfType = (type) => (HUES.find((types) => types.includes(type)) || [240])[0];

export const Type = ({ type }) =>
  html`<span class="badge" style=${`--hue: ${hueOfType(type)}`}>${typeName(type)}</span>`;

export const YesNo = ({ value }) =>
  html`<span class="state" data-state=${value ? "done" : "open"}>${words(value ? "yes" : "no")}</span>`;

/**
 * A list of `[name, value, field?]`; those without a value are left out: undefined, null, false, 0.
 * @param isRaw whether names are shown as they are, such as those of settings
 */
export function Facts({ rows, isRaw = false }) {
  const shown = rows.filter(([, value]) => value || value === "");
  return html`<dl class="facts">
    ${shown.map(([name, value, field = name]) => html`<div key=${name}><dt>${isRaw ? name : words(name)}</dt><dd data-field=${field}>${value}</dd></div>`)}
  </dl>`;
}

/** A part of a page with its heading, whose text may have places for values. @param isHalf whether two stand side by side */
export const Section = ({ title, values, children, isHalf }) =>
  html`<section class=${isHalf ? "half" : undefined}><h2>${words(title, values)}</h2>${children}</section>`;
