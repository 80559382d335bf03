import { encodeAddress, isAlias, messageText, namespaceOfAlias } from "./addresses.js";
import { html } from "./dom.js";
import { count, propertiesOf, typeName } from "./format.js";
import { pageOf } from "./paths.js";
import { listName, RULES } from "./sentence.js";
import { Facts, KnownAccount, KnownAmount, KnownMosaic, KnownNamespace } from "./values.js";
import { nameOf, words } from "./words.js";

// The fields that only some transaction types have, in the order of REST, so that new types are shown as well.

/** Shown elsewhere on the page. */
const ELSEWHERE = new Set([
  ...["size", "signature", "signerPublicKey", "version", "network", "type", "maxFee", "deadline", "mosaics"],
  ...["recipientAddress", "transactions", "cosignatures", "message"],
]);

const fieldsOf = ({ transaction }) => Object.entries(transaction).filter(([name]) => !ELSEWHERE.has(name));

export const hasContent = (body) => fieldsOf(body).length > 0;

export function Content({ body }) {
  return html`<${Facts} isRaw rows=${rowsOf(fieldsOf(body), body.transaction)} />`;
}
const rowsOf = (fields, body = {}) =>
  fields.map(([name, value]) => [labelOf(name), html`<${Value} name=${name} value=${value} body=${body} />`, name]);

/** What people call a field; `scopedMetadataKey` as `scoped metadata key` where it has no name. */
const labelOf = (name) => nameOf("fields", name) || name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Numbers that mean words. */
const LINKS = ["unlink", "link"];
const CHOICES = {
  linkAction: LINKS,
  aliasAction: LINKS,
  action: ["decrease", "increase"],
  registrationType: ["root", "child"],
  hashAlgorithm: ["sha3_256", "", "hash_160", "hash_256"],
  previousRestrictionType: RULES,
  newRestrictionType: RULES,
};

/** What values look like: the first pattern of a name and of its text that fits. */
const FORMS = [
  [/^amount$/, /./, (text, { mosaicId }) => mosaicId && html`<${KnownAmount} id=${mosaicId} amount=${text} />`],
  [/^duration$/, /./, count],
  [/^flags$/, /./, propertiesOf],
  [/^restrictionFlags$/, /./, listName],
  [/^restriction(Additions|Deletions)$/, /^\d{1,5}$/, typeName],
  [/./, /^[0-9A-F]{48}$/, (text) => html`<${Address} hex=${text} />`],
  [
    /publickey/i,
    /^[0-9A-F]{64}$/,
    (text) => html`<a href=${pageOf("account", text)} translate="no"><code>${text}</code></a>`,
  ],
  [/./, /^0{16}$/, () => words("none")],
  [/mosaic|restriction(Add|Del)/i, /^[0-9A-F]{16}$/, (text) => html`<${KnownMosaic} id=${text} />`],
  [/namespace|parentId/i, /^[0-9A-F]{16}$/, (text) => html`<${KnownNamespace} id=${text} />`],
  [/^(value|name|proof)$/, /./, textIn],
  [/./, /^[0-9A-F]{16,}$/, (text) => html`<code>${text}</code>`],
  [/./, /^/, (text) => text],
];

function textIn(hex) {
  const written = messageText(hex);
  return written === undefined ? html`<code>${hex}</code>` : html`<q>${written}</q>`;
}

function Value({ name, value, body }) {
  if (Array.isArray(value))
    return value.length === 0
      ? html`<span>${words("none")}</span>`
      : value.map((entry) => html`<div><${Value} name=${name} value=${entry} body=${body} /></div>`);
  if (value !== null && typeof value === "object")
    return html`<${Facts} isRaw rows=${rowsOf(Object.entries(value))} />`;
  const text = String(value);
  const choice = CHOICES[name]?.[value];
  if (choice) return html`<span>${words(`choice.${choice}`)}</span>`;
  for (const [names, form, show] of FORMS) {
    const shown = names.test(name) && form.test(text) && show(text, body);
    if (shown) return html`<span>${shown}</span>`;
  }
  return "";
}

const Address = ({ hex }) =>
  isAlias(hex)
    ? html`<span>${words("namespaceOf", { namespace: html`<${KnownNamespace} id=${namespaceOfAlias(hex)} />` })}</span>`
    : html`<${KnownAccount} address=${encodeAddress(hex)} isShort=${false} />`;
