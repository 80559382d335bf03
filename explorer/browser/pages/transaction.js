import { encodeAddress, namespaceOfAlias } from "../addresses.js";
import { chain } from "../chain.js";
import { EMBEDDED_COLUMNS, MOVEMENT_COLUMNS, signerColumn } from "../columns.js";
import { Content, hasContent } from "../content.js";
import { html } from "../dom.js";
import { bytes, typeName } from "../format.js";
import { useQuery } from "../graphql.js";
import { MissingCosigners } from "../multisig/missing-cosigners.js";
import { Heading, Missing } from "../page.js";
import { RECEIPT_COLUMNS, receiptsOf } from "../receipts.js";
import { Sentence } from "../sentence.js";
import { Listed } from "../table.js";
import {
  Alias,
  accountFact,
  BlockLink,
  CurrencyAmount,
  digits,
  Facts,
  KnownNamespace,
  MosaicAmount,
  Section,
  Time,
  TransactionLink,
  Type,
} from "../values.js";
import { counted, nameOf, words } from "../words.js";

const ID_LENGTH = 24;
const ADDRESS_DIGITS = 48;
/** Of the states of a step. */
const MARKS = { done: "✓", current: "…", open: "○" };

export function TransactionPage({ id, version }) {
  const { data, failure } = useQuery(id.length === ID_LENGTH ? "transactionOfId" : "transaction", { key: id }, version);
  const confirmed = data?.transactionsByIds[0];
  const transaction = confirmed ?? data?.unconfirmed?.[0] ?? data?.partial?.[0];
  const status = data?.transactionStatuses?.[0];
  if (!transaction && status) return html`<${WithoutContent} hash=${id} status=${status} />`;
  if (!transaction) return html`<${Missing} kind="transaction" text=${id} failure=${failure} isLoading=${!data} />`;
  const { embedded, cosignatures } = transaction;
  const receipts = receiptsOf({ data: confirmed?.statements ?? [] }).data;
  return html`
    <${Heading} kind="transaction" text=${typeName(transaction.type)}><${Type} type=${transaction.type} /><//>
    <section class="summary">
      <p><${Sentence} row=${transaction} /></p>
      <${Lifecycle} transaction=${transaction} confirmed=${confirmed} head=${data.head.height} />
    </section>
    <${Listed} title="movements" rows=${confirmed?.movements ?? []} columns=${MOVEMENT_COLUMNS} />
    <${Listed} title="embeddedTransactions" id="embedded" rows=${embedded} columns=${EMBEDDED_COLUMNS} />
    <${Section} title="overview"><${Overview} transaction=${transaction} confirmed=${confirmed} /><//>
    ${hasContent(transaction.body) && html`<${Section} title="content"><${Content} body=${transaction.body} /><//>`}
    <${Listed} title="cosignatures" rows=${cosignatures} columns=${[signerColumn("cosigner")]} />
    ${transaction.group === "partial" && html`<${Section} title="missingCosignatures"><${MissingCosigners} transaction=${transaction} version=${version} /><//>`}
    <${Listed} title="receipts" id="statements" rows=${receipts} columns=${RECEIPT_COLUMNS} />
    <${Listed} title="resolvedAliases" id="resolutions" rows=${confirmed ? resolutionsOf(confirmed) : []} columns=${RESOLUTION_COLUMNS} />`;
}

/** The way of a transaction: announced, (cosigned,) unconfirmed, in a block, finalized. @param head the newest height */
function Lifecycle({ transaction, confirmed, head }) {
  const steps = confirmed ? stepsOfConfirmed(confirmed, head) : stepsOfPending(transaction);
  return html`<ol class="lifecycle">
    ${steps.map(([state, name, values]) => html`<li data-state=${state}><span aria-hidden="true">${MARKS[state]}</span> ${words(name, values)}<span class="hidden"> (${words(`state.${state}`)})</span></li>`)}
  </ol>`;
}

function stepsOfConfirmed({ height, timestamp, block }, head) {
  const values = {
    block: html`<${BlockLink} height=${height} />`,
    time: html`<${Time} timestamp=${timestamp} />`,
    confirmations: html`<span data-field="confirmations">${counted("confirmations", head - height + 1)}</span>`,
  };
  const last = block?.isFinalized ? ["done", "step.finalized"] : ["current", "step.toBeFinalized"];
  return [["done", "step.block", values], last];
}

function stepsOfPending({ group, cosignatures }) {
  const isPartial = group === "partial";
  return [
    ["done", "step.announced"],
    ...(isPartial ? [["current", "step.cosignatures", { count: cosignatures.length }]] : []),
    [isPartial ? "open" : "current", "step.unconfirmed"],
    ["open", "step.finalized"],
  ];
}

/** What the aliases in a transaction meant when it was executed: an entry counts from its source on, until the next. */
function resolutionsOf({ block, index, body, embedded }) {
  const written = JSON.stringify([body, embedded.map((one) => one.body)]);
  const known = [...(block?.addressResolutions.data ?? []), ...(block?.mosaicResolutions.data ?? [])];
  const entryOf = (entries) => [...entries].reverse().find(({ source }) => source.primaryId <= index + 1);
  return known.flatMap(({ unresolved, resolutionEntries }) => {
    const target = written.includes(unresolved) && entryOf(resolutionEntries)?.resolved;
    if (!target) return [];
    if (unresolved.length < ADDRESS_DIGITS) return [{ namespaceId: unresolved, mosaicId: target }];
    return [{ namespaceId: namespaceOfAlias(unresolved), address: encodeAddress(target) }];
  });
}

const RESOLUTION_COLUMNS = [
  ["alias", ({ namespaceId }) => html`<${KnownNamespace} id=${namespaceId} />`, "main"],
  ["resolvedTo", (row) => html`<${Alias} ...${row} isShort=${false} />`, "flexible"],
];

function Overview({ transaction, confirmed }) {
  const { hash, id, signer, signerPublicKey, recipient, recipientAddress, mosaics, maxFee, size } = transaction;
  const inside = confirmed?.aggregate;
  return html`<${Facts} rows=${[
    digits("hash", hash, "transactionHash"),
    digits("id", confirmed && id),
    ["insideOf", inside && html`<${TransactionLink} hash=${inside.hash} isShort=${false} />`],
    ["block", confirmed && html`<${BlockLink} height=${confirmed.height} />`, "height"],
    ["time", confirmed && html`<${Time} timestamp=${confirmed.timestamp} />`],
    accountFact("signer", signer, signerPublicKey),
    accountFact("recipient", recipient, recipientAddress),
    ["mosaics", mosaics?.length && mosaics.map((mosaic) => html`<div><${MosaicAmount} ...${mosaic} /></div>`)],
    ["fee", confirmed?.fee && html`<${CurrencyAmount} amount=${confirmed.fee} />`],
    ["maximumFee", maxFee && html`<${CurrencyAmount} amount=${maxFee} />`],
    ["deadline", transaction.deadline && html`<${Time} timestamp=${transaction.deadline} />`],
    ["size", size && bytes(size)],
    ["version", String(transaction.version)],
    digits("signature", transaction.signature),
  ]} />`;
}

/** A transaction that no node shows. */
function WithoutContent({ hash, status }) {
  const isRejected = status.group === "failed";
  return html`
    <${Heading} kind="transaction" text=${words(`group.${status.group}`)}><span class="state" data-state=${isRejected ? "failed" : "open"}>${words(`group.${status.group}`)}</span><//>
    ${status.announced && html`<section class="summary"><p><${Sentence} row=${rowOf(status.announced)} isAttempt /></p></section>`}
    <${Section} title="overview"><${Facts} rows=${[
      digits("hash", hash, "transactionHash"),
      ["reason", isRejected && html`${nameOf("failures", status.code)} <code>${status.code}</code>`, "code"],
      ["waitsFor", status.waitsFor && words(`waitsFor.${status.waitsFor}`), "waits-for"],
      ["deadline", html`<${Time} timestamp=${status.deadline} />`],
    ]} /><//>`;
}

/** A transaction of which there is only its body, as it was announced. */
function rowOf({ transaction }) {
  const { type, signerPublicKey, transactions, mosaics = [] } = transaction;
  return {
    ...{ type, signerPublicKey, body: { transaction }, embedded: transactions?.map(rowOf) },
    mosaics: mosaics.map((one) => ({ ...one, mosaic: one.id === chain.currency.mosaicId ? chain.currency : null })),
  };
}
