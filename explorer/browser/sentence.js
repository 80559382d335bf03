import { transactionTypeName } from "../../gateway/languages/type-names.ts";
import { encodeAddress, isAlias, messageText, namespaceOfAlias } from "./addresses.js";
import { html } from "./dom.js";
import { typeName } from "./format.js";
import {
  AccountLink,
  KnownAccount,
  KnownAmount,
  KnownMosaic,
  KnownNamespace,
  MosaicAmount,
  NamespaceLink,
} from "./values.js";
import { counted, sentence, words } from "./words.js";

// What a transaction does, in one sentence, from its own fields.

const LINK = 1;
const INCREASE = 1;
const signerOf = ({ signer, signerPublicKey }) =>
  signer ? html`<${AccountLink} ...${signer} isShort />` : key(signerPublicKey);

/** An address in a body: 48 hex digits, of an account or of a namespace's alias. */
const at = (hex) => (isAlias(hex) ? ofNamespace(namespaceOfAlias(hex)) : key(encodeAddress(hex)));
const key = (address) => html`<${KnownAccount} address=${address} />`;
const mosaic = (id) => html`<${KnownMosaic} id=${id} />`;
const namespace = (id, name) =>
  name ? html`<${NamespaceLink} id=${id} name=${name} />` : html`<${KnownNamespace} id=${id} />`;
const units = ({ mosaicId, amount }) => html`<${KnownAmount} id=${mosaicId} amount=${amount} />`;
const code = (text) => html`<code>${text}</code>`;
const ofMosaic = (id) => words("mosaicOf", { mosaic: mosaic(id) });
const ofNamespace = (id) => words("namespaceOf", { namespace: namespace(id) });
const list = (parts) => parts.map((part, index) => (index === 0 ? part : html`${words("comma")}${part}`));

function recipientOf({ recipient, recipientAddress, body }) {
  if (recipient) return html`<${AccountLink} ...${recipient} isShort />`;
  if (recipientAddress) return key(recipientAddress);
  const written = body.transaction.recipientAddress;
  return written ? at(written) : words("noAccount");
}

/** The text of a message in a body: undefined without one, or if it is not text. */
export const messageOf = ({ body }) => {
  const { message } = body.transaction;
  return message ? messageText(message) : undefined;
};

function transfer(row) {
  const text = messageOf(row);
  const sent = row.mosaics?.length ? list(row.mosaics.map((one) => html`<${MosaicAmount} ...${one} />`)) : undefined;
  const what = sent ?? words(row.body.transaction.message ? "aMessage" : "nothing");
  const values = { what, recipient: recipientOf(row) };
  return text === undefined
    ? ["transfer", values]
    : ["transferWithMessage", { ...values, message: html`<q>${text}</q>` }];
}

function multisig({ addressAdditions, addressDeletions, minApprovalDelta, minRemovalDelta }) {
  const changes = [
    addressAdditions.length > 0 && sentence("cosignatoriesAdded", { accounts: list(addressAdditions.map(at)) }),
    addressDeletions.length > 0 && sentence("cosignatoriesRemoved", { accounts: list(addressDeletions.map(at)) }),
    minApprovalDelta !== 0 && sentence("minApproval", { delta: signed(minApprovalDelta) }),
    minRemovalDelta !== 0 && sentence("minRemoval", { delta: signed(minRemovalDelta) }),
  ];
  return ["multisig", { changes: list(changes.filter(Boolean)) }];
}

const signed = (number) => (number > 0 ? `+${number}` : String(number));
/** By the values of a list of restrictions, its lowest bits: what it is of. */
const SUBJECTS = { 1: "address", 2: "mosaic", 4: "operation" };
/** What an account's list is called, such as that of blocked senders. */
export const listName = (flags) =>
  words(`restricts.${flags & 0x8000 ? "block" : "allow"}.${SUBJECTS[flags & 7]}${flags & 0x4000 ? "Out" : "In"}`);
/** A change of one of an account's lists. */
const restricted =
  (show) =>
  ({ restrictionFlags, restrictionAdditions: added, restrictionDeletions: removed }) => {
    const changes = [
      added.length > 0 && sentence("valuesAdded", { values: list(added.map(show)) }),
      removed.length > 0 && sentence("valuesRemoved", { values: list(removed.map(show)) }),
    ];
    return ["restriction", { list: listName(restrictionFlags), changes: list(changes.filter(Boolean)) }];
  };
/** A value that is written anew; later ones are differences to what was there. */
function metadata({ scopedMetadataKey, value, valueSizeDelta }, target) {
  const text = messageText(value);
  const values = { key: code(scopedMetadataKey), target };
  return text !== undefined && valueSizeDelta === value.length / 2
    ? ["metadataValue", { ...values, value: html`<q>${text}</q>` }]
    : ["metadata", values];
}
const rule = ({ mosaicId, restrictionKey, newRestrictionValue: value }) => ({
  ...{ mosaic: mosaic(mosaicId), key: code(restrictionKey), value },
});
export const RULES = ["none", "eq", "ne", "lt", "le", "gt", "ge"];
const linked = (name, action, values) => [action === LINK ? `${name}Linked` : `${name}Unlinked`, values];

/** By type: the name of its sentence, and the values besides the signer. */
const SENTENCES = {
  transfer: (_body, row) => transfer(row),
  aggregate_complete: (_body, row) => aggregate(row),
  aggregate_bonded: (_body, row) => aggregate(row),
  account_key_link: (body) => linked("account", body.linkAction, { account: key(body.linkedPublicKey) }),
  voting_key_link: (body) => linked("voting", body.linkAction, { start: body.startEpoch, end: body.endEpoch }),
  vrf_key_link: (body) => linked("vrf", body.linkAction, {}),
  node_key_link: (body) => linked("node", body.linkAction, { node: key(body.linkedPublicKey) }),
  multisig_account_modification: multisig,
  hash_lock: (body) => ["hashLock", { amount: units(body), aggregate: code(`${body.hash.slice(0, 8)}…`) }],
  secret_lock: (body, row) => [
    "secretLock",
    { amount: units(body), recipient: recipientOf(row), blocks: counted("blocks", body.duration) },
  ],
  secret_proof: (_body, row) => ["secretProof", { recipient: recipientOf(row) }],
  account_metadata: (body) => metadata(body, at(body.targetAddress)),
  mosaic_metadata: (body) => metadata(body, ofMosaic(body.targetMosaicId)),
  namespace_metadata: (body) => metadata(body, ofNamespace(body.targetNamespaceId)),
  mosaic_definition: ({ id, divisibility }) => [
    "mosaicDefinition",
    { mosaic: mosaic(id), places: counted("decimalPlaces", divisibility) },
  ],
  mosaic_supply_change: ({ mosaicId, delta, action }) => [
    action === INCREASE ? "supplyIncrease" : "supplyDecrease",
    { amount: units({ mosaicId, amount: delta }) },
  ],
  mosaic_supply_revocation: (body) => ["supplyRevocation", { amount: units(body), account: at(body.sourceAddress) }],
  namespace_registration: ({ id, name, duration }) => [
    duration ? "rootNamespace" : "childNamespace",
    { namespace: namespace(id, messageText(name) ?? name), ...(duration && { blocks: counted("blocks", duration) }) },
  ],
  address_alias: ({ namespaceId, address, aliasAction }) =>
    linked("alias", aliasAction, { namespace: namespace(namespaceId), target: at(address) }),
  mosaic_alias: ({ namespaceId, mosaicId, aliasAction }) =>
    linked("alias", aliasAction, { namespace: namespace(namespaceId), target: ofMosaic(mosaicId) }),
  account_address_restriction: restricted(at),
  account_mosaic_restriction: restricted(mosaic),
  account_operation_restriction: restricted((type) => html`<span>${typeName(type)}</span>`),
  mosaic_global_restriction: (body) => [
    body.newRestrictionType === 0 ? "mosaicRuleRemoved" : "mosaicRule",
    { ...rule(body), rule: words(`choice.${RULES[body.newRestrictionType]}`) },
  ],
  mosaic_address_restriction: (body) => ["mosaicValue", { ...rule(body), account: at(body.targetAddress) }],
};

/** An aggregate of one transaction does what that one does. */
function aggregate({ embedded }) {
  if (!embedded) return ["aggregate", { transactions: words("severalTransactions") }];
  if (embedded.length === 1) return ["arrangement", { inner: sentenceOf(embedded[0]) }];
  return ["aggregate", { transactions: counted("transactions", embedded.length) }];
}

function sentenceOf(row) {
  const [name, values] = SENTENCES[transactionTypeName(row.type)]?.(row.body.transaction, row) ?? [
    "other",
    { type: typeName(row.type) },
  ];
  return sentence(name, { signer: signerOf(row), ...values });
}

/**
 * @param row a transaction with `type`, `body`, its signer, recipient and mosaics, and `embedded` if it is an aggregate
 * @param isAttempt whether nothing came of it
 */
export const Sentence = ({ row, isAttempt }) =>
  html`<span class="sentence">${isAttempt ? words("attempt", { sentence: html`<span>${sentenceOf(row)}</span>` }) : sentenceOf(row)}</span>`;
