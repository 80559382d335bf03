import { things, typeName } from "../format.js";
import { encodeAddress, isAlias, messageText, namespaceOfAlias } from "./addresses.js";
import { formatAmount } from "./amounts.js";
import { chain } from "./chain.js";
import { html } from "./library.js";
import { AccountLink, MosaicAmount, MosaicLink, NamespaceLink } from "./values.js";

// What a transaction does, in one sentence, from its own fields. Amounts of mosaics that only a body names are atomic
// units, unless it is the currency.

const LINK = 1;
const SIGNER = ({ signer, signerPublicKey }) =>
  html`<${AccountLink} address=${signer?.address ?? signerPublicKey} names=${signer?.names} isShort />`;

/** An address in a body: 48 hex digits, of an account or of a namespace's alias. */
const at = (hex) =>
  isAlias(hex)
    ? html`namespace <${NamespaceLink} id=${namespaceOfAlias(hex)} />`
    : html`<${AccountLink} address=${encodeAddress(hex)} isShort />`;
const key = (publicKey) => html`<${AccountLink} address=${publicKey} isShort />`;
const mosaic = (id) => html`<${MosaicLink} id=${id} />`;
const namespace = (id, name) => html`<${NamespaceLink} id=${id} name=${name} />`;
const linked = ({ linkAction }) => (linkAction === LINK ? "linked" : "unlinked");
const list = (parts) => parts.map((part, index) => (index === 0 ? part : html`, ${part}`));

function units(id, amount) {
  const { mosaicId, divisibility, name } = chain.currency;
  return id === mosaicId
    ? `${formatAmount(amount, divisibility)} ${name}`
    : html`${amount} atomic units of ${mosaic(id)}`;
}

function recipientOf({ recipient, recipientAddress, body }) {
  if (recipient) return html`<${AccountLink} ...${recipient} isShort />`;
  if (recipientAddress) return html`<${AccountLink} address=${recipientAddress} isShort />`;
  const written = body.transaction.recipientAddress;
  return written ? at(written) : "nobody";
}

/** The text of a message in a body: undefined without one, or if it is not text. */
export const messageOf = ({ body }) => {
  const { message } = body.transaction;
  return message ? messageText(message) : undefined;
};

function transfer(row) {
  const { message } = row.body.transaction;
  const text = messageOf(row);
  const sent = row.mosaics?.length ? list(row.mosaics.map((one) => html`<${MosaicAmount} ...${one} />`)) : undefined;
  const what = sent ?? (message ? "a message" : "nothing");
  return html`sent ${what} to ${recipientOf(row)}${text !== undefined && html`: <q>${text}</q>`}`;
}

const multisig = ({ addressAdditions, addressDeletions, minApprovalDelta, minRemovalDelta }) => [
  "changed the multisig account",
  addressAdditions.length > 0 && html`, added ${list(addressAdditions.map(at))}`,
  addressDeletions.length > 0 && html`, removed ${list(addressDeletions.map(at))}`,
  minApprovalDelta !== 0 && html`, signatures to approve ${signed(minApprovalDelta)}`,
  minRemovalDelta !== 0 && html`, signatures to remove ${signed(minRemovalDelta)}`,
];

const signed = (number) => (number > 0 ? `+${number}` : String(number));
const changed = (added, removed) => `(${added.length} added, ${removed.length} removed)`;
const restricted =
  (what) =>
  ({ restrictionAdditions, restrictionDeletions }) =>
    `changed which ${what} the account accepts ${changed(restrictionAdditions, restrictionDeletions)}`;

/** By type: what comes after the signer. */
const SENTENCES = {
  16724: (_body, row) => transfer(row),
  16705: (_body, row) => aggregate(row),
  16961: (_body, row) => aggregate(row),
  16716: (body) => html`${linked(body)} the remote account ${key(body.linkedPublicKey)}`,
  16707: (body) => `${linked(body)} a voting key for epochs ${body.startEpoch} to ${body.endEpoch}`,
  16963: (body) => `${linked(body)} a VRF key`,
  16972: (body) => html`${linked(body)} the node ${key(body.linkedPublicKey)} for delegated harvesting`,
  16725: multisig,
  16712: ({ mosaicId, amount, hash }) =>
    html`locked ${units(mosaicId, amount)} for the aggregate <code>${hash.slice(0, 8)}…</code>`,
  16722: ({ mosaicId, amount, duration }, row) =>
    html`locked ${units(mosaicId, amount)} for ${recipientOf(row)}, to be claimed with a secret within ${things(duration, "block")}`,
  16978: (_body, row) => html`proved a secret, which releases a lock to ${recipientOf(row)}`,
  16708: ({ targetAddress, scopedMetadataKey }) => html`wrote metadata ${scopedMetadataKey} of ${at(targetAddress)}`,
  16964: ({ targetMosaicId, scopedMetadataKey }) =>
    html`wrote metadata ${scopedMetadataKey} of mosaic ${mosaic(targetMosaicId)}`,
  17220: ({ targetNamespaceId, scopedMetadataKey }) =>
    html`wrote metadata ${scopedMetadataKey} of namespace ${namespace(targetNamespaceId)}`,
  16717: ({ id, divisibility }) => html`defined mosaic ${mosaic(id)} with ${things(divisibility, "decimal place")}`,
  16973: ({ mosaicId, delta, action }) =>
    html`${action === 1 ? "increased" : "decreased"} the supply of ${mosaic(mosaicId)} by ${delta} atomic units`,
  17229: ({ mosaicId, amount, sourceAddress }) => html`took back ${units(mosaicId, amount)} from ${at(sourceAddress)}`,
  16718: ({ id, name, duration }) =>
    html`registered the namespace ${namespace(id, messageText(name) ?? name)}${duration && ` for ${things(duration, "block")}`}`,
  16974: ({ namespaceId, address, aliasAction }) =>
    html`${aliasAction === LINK ? "linked" : "unlinked"} the namespace ${namespace(namespaceId)} and ${at(address)}`,
  17230: ({ namespaceId, mosaicId, aliasAction }) =>
    html`${aliasAction === LINK ? "linked" : "unlinked"} the namespace ${namespace(namespaceId)} and mosaic ${mosaic(mosaicId)}`,
  16720: restricted("accounts"),
  16976: restricted("mosaics"),
  17232: restricted("types of transactions"),
  16721: ({ mosaicId }) => html`changed a restriction of mosaic ${mosaic(mosaicId)}`,
  16977: ({ mosaicId, targetAddress }) =>
    html`changed what ${at(targetAddress)} may do with the restricted mosaic ${mosaic(mosaicId)}`,
};

/** An aggregate of one transaction does what that one does. */
function aggregate(row) {
  const { embedded } = row;
  if (!embedded) return "sent several transactions as one";
  if (embedded.length === 1) return html`arranged that ${SIGNER(embedded[0])} ${predicate(embedded[0])}`;
  return `sent ${things(embedded.length, "transaction")} as one`;
}

const predicate = (row) => SENTENCES[row.type]?.(row.body.transaction, row) ?? `sent a ${typeName(row.type)}`;

/** @param row a transaction with `type`, `body`, its signer, recipient and mosaics, and `embedded` if it is an aggregate */
export const Sentence = ({ row }) => html`<span class="sentence">${SIGNER(row)} ${predicate(row)}</span>`;
