import { html } from "htm/preact/standalone";
import { encodeAddress, isAlias, messageText, namespaceOfAlias } from "./addresses.js";
import { pageOf } from "./place.js";
import { AccountLink, Facts } from "./values.js";
import { words } from "./words.js";

// The fields that only some transaction types have, named as in REST, so that new types are shown as well.

/** Shown elsewhere on the page. */
const ELSEWHERE = new Set([
  "size",
  "signature",
  "signerPublicKey",
  "version",
  "network",
  "type",
  "maxFee",
  "deadline",
  "mosaics",
  "recipientAddress",
  "transactions",
  "cosignatures",
]);

const fieldsOf = (body) => Object.entries(body.transaction).filter(([name]) => !ELSEWHERE.has(name));

export const hasContent = (body) => fieldsOf(body).length > 0;

export function Content({ body }) {
  const fields = fieldsOf(body);
  return html`<${Facts} isRaw rows=${fields.map(([name, value]) => [wordsOf(name), html`<${Value} name=${name} value=${value} />`, name])} />`;
}

/** `scopedMetadataKey` as `scoped metadata key`. */
const wordsOf = (name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function Value({ name, value }) {
  if (Array.isArray(value))
    return value.length === 0
      ? words("none")
      : value.map((entry) => html`<div><${Value} name=${name} value=${entry} /></div>`);
  if (value !== null && typeof value === "object") {
    return html`<${Facts} isRaw rows=${Object.entries(value).map(([key, entry]) => [wordsOf(key), html`<${Value} name=${key} value=${entry} />`])} />`;
  }
  const text = String(value);
  if (/^[0-9A-F]{48}$/.test(text) && /address|cosignator/i.test(name)) return html`<${Address} hex=${text} />`;
  if (/^[0-9A-F]{64}$/.test(text) && /publickey/i.test(name))
    return html`<a href=${pageOf("account", text)}><code>${text}</code></a>`;
  if (/^[0-9A-F]{16}$/.test(text) && /mosaic/i.test(name)) return html`<a href=${pageOf("mosaic", text)}>${text}</a>`;
  if (/^[0-9A-F]{16}$/.test(text) && /namespace|parentId/i.test(name))
    return html`<a href=${pageOf("namespace", text)}>${text}</a>`;
  if (name === "message" || name === "value") {
    const message = messageText(text);
    return message === undefined ? html`<code>${text}</code>` : html`<q>${message}</q>`;
  }
  return /^[0-9A-F]{16,}$/.test(text) ? html`<code>${text}</code>` : text;
}

function Address({ hex }) {
  if (!isAlias(hex)) return html`<${AccountLink} address=${encodeAddress(hex)} />`;
  const id = namespaceOfAlias(hex);
  return html`<a href=${pageOf("namespace", id)}>${words("namespaceOf", { namespace: id })}</a>`;
}
