import { encodeAddress, isAlias, messageText, namespaceOfAlias } from "./addresses.js";
import { html } from "./dom.js";
import { count, typeName } from "./format.js";
import { pageOf } from "./paths.js";
import { Facts, KnownAccount, KnownAmount, KnownMosaic, KnownNamespace } from "./values.js";
import { nameOf, words } from "./words.js";

// The fields that only some transaction types have, in the order of REST, so that new types are shown as well.

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
  "message",
]);

const fieldsOf = ({ transaction }) => Object.entries(transaction).filter(([name]) => !ELSEWHERE.has(name));

export const hasContent = (body) => fieldsOf(body).length > 0;

export function Content({ body }) {
  return html`<${Facts} isRaw rows=${fieldsOf(body).map(([name, value]) => [labelOf(name), html`<${Value} name=${name} value=${value} body=${body.transaction} />`, name])} />`;
}

/** What people call a field; `scopedMetadataKey` as `scoped metadata key` where it has no name. */
const labelOf = (name) => nameOf("fields", name) || name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Numbers that mean words. */
const CHOICES = {
  linkAction: ["unlink", "link"],
  aliasAction: ["unlink", "link"],
  action: ["decrease", "increase"],
  registrationType: ["root", "child"],
  hashAlgorithm: ["sha3_256", "", "hash_160", "hash_256"],
  previousRestrictionType: ["none", "eq", "ne", "lt", "le", "gt", "ge"],
  newRestrictionType: ["none", "eq", "ne", "lt", "le", "gt", "ge"],
};

function Value({ name, value, body }) {
  if (Array.isArray(value))
    return value.length === 0
      ? html`<span>${words("none")}</span>`
      : value.map((entry) => html`<div><${Value} name=${name} value=${entry} body=${body} /></div>`);
  if (value !== null && typeof value === "object") {
    return html`<${Facts} isRaw rows=${Object.entries(value).map(([key, entry]) => [labelOf(key), html`<${Value} name=${key} value=${entry} body=${body} />`])} />`;
  }
  const text = String(value);
  const choice = CHOICES[name]?.[value];
  if (choice) return html`<span>${words(`choice.${choice}`)}</span>`;
  if (name === "amount" && body.mosaicId) return html`<${KnownAmount} id=${body.mosaicId} amount=${text} />`;
  if (name === "duration") return html`<span>${count(text)}</span>`;
  if (/^restriction(Additions|Deletions)$/.test(name) && typeof value === "number")
    return html`<span>${typeName(value)}</span>`;
  if (/^[0-9A-F]{48}$/.test(text)) return html`<${Address} hex=${text} />`;
  if (/^[0-9A-F]{64}$/.test(text) && /publickey/i.test(name))
    return html`<a href=${pageOf("account", text)} translate="no"><code>${text}</code></a>`;
  if (/^0{16}$/.test(text)) return html`<span>${words("none")}</span>`;
  if (/^[0-9A-F]{16}$/.test(text) && /mosaic|restriction(Add|Del)/i.test(name))
    return html`<${KnownMosaic} id=${text} />`;
  if (/^[0-9A-F]{16}$/.test(text) && /namespace|parentId/i.test(name)) return html`<${KnownNamespace} id=${text} />`;
  if (/^(value|name|proof)$/.test(name)) {
    const written = messageText(text);
    return written === undefined ? html`<code>${text}</code>` : html`<q>${written}</q>`;
  }
  return /^[0-9A-F]{16,}$/.test(text) ? html`<code>${text}</code>` : html`<span>${text}</span>`;
}

const Address = ({ hex }) =>
  isAlias(hex)
    ? html`<span>${words("namespaceOf", { namespace: html`<${KnownNamespace} id=${namespaceOfAlias(hex)} />` })}</span>`
    : html`<${KnownAccount} address=${encodeAddress(hex)} isShort=${false} />`;
