import { html } from "htm/preact/standalone";
import { Content, hasContent } from "../content.js";
import { bytes, typeName } from "../format.js";
import { useQuery } from "../graphql.js";
import { Lifecycle } from "../lifecycle.js";
import { MissingCosigners } from "../missing-cosigners.js";
import { Heading, Missing } from "../page.js";
import { ReceiptsTable } from "../receipts.js";
import { Resolutions, resolutionsOf } from "../resolutions.js";
import { Sentence } from "../sentence.js";
import { Table } from "../table.js";
import { EMBEDDED_COLUMNS } from "../transactions.js";
import {
  AccountLink,
  BlockLink,
  CurrencyAmount,
  Digits,
  Facts,
  MosaicAmount,
  Section,
  Time,
  TransactionLink,
  Type,
} from "../values.js";
import { nameOf, words } from "../words.js";

const ID_LENGTH = 24;

export function TransactionPage({ id, version }) {
  const { data, failure } = useQuery(id.length === ID_LENGTH ? "transactionOfId" : "transaction", { key: id }, version);
  const confirmed = data?.transactionsByIds[0];
  const transaction = confirmed ?? data?.unconfirmed?.[0] ?? data?.partial?.[0];
  const status = data?.transactionStatuses?.[0];
  if (!transaction && status) return html`<${WithoutContent} hash=${id} status=${status} />`;
  if (!transaction) return html`<${Missing} kind="transaction" text=${id} failure=${failure} isLoading=${!data} />`;
  const { embedded, cosignatures } = transaction;
  const receipts = ReceiptsTable.flatten({ data: confirmed?.statements ?? [] }).data;
  const resolutions = confirmed
    ? resolutionsOf(confirmed.block, confirmed.index, [confirmed.body, ...embedded.map(({ body }) => body)])
    : [];
  return html`
    <${Heading} kind="transaction" text=${typeName(transaction.type)}><${Type} type=${transaction.type} /><//>
    <p><${Sentence} row=${transaction} /></p>
    <${Section} title="lifecycle"><${Lifecycle} transaction=${transaction} confirmed=${confirmed} head=${data.indexStatus.height} /><//>
    <${Section} title="overview"><${Overview} transaction=${transaction} confirmed=${confirmed} /><//>
    ${hasContent(transaction.body) && html`<${Section} title="content"><${Content} body=${transaction.body} /><//>`}
    ${
      embedded.length > 0 &&
      html`<${Section} title="embeddedTransactions">
      <${Table} id="embedded" label="embeddedTransactions" columns=${EMBEDDED_COLUMNS} rows=${embedded} />
    <//>`
    }
    ${
      cosignatures.length > 0 &&
      html`<${Section} title="cosignatures">
      <${Table} id="cosignatures" label="cosignatures" rows=${cosignatures} columns=${[
        [
          "cosigner",
          ({ signer, signerPublicKey }) =>
            html`<${AccountLink} address=${signer?.address ?? signerPublicKey} names=${signer?.names} />`,
        ],
      ]} />
    <//>`
    }
    ${transaction.group === "partial" && html`<${Section} title="missingCosignatures"><${MissingCosigners} transaction=${transaction} version=${version} /><//>`}
    ${
      receipts.length > 0 &&
      html`<${Section} title="receipts">
      <${Table} id="statements" label="receipts" columns=${ReceiptsTable.columns} rows=${receipts} />
    <//>`
    }
    ${resolutions.length > 0 && html`<${Section} title="resolvedAliases"><${Resolutions} rows=${resolutions} /><//>`}`;
}

function Overview({ transaction, confirmed }) {
  const { hash, id, signer, signerPublicKey, recipient, recipientAddress, mosaics, maxFee, size, signature } =
    transaction;
  return html`<${Facts} rows=${[
    ["hash", hash ? html`<${Digits} value=${hash} what="transactionHash" />` : undefined, "hash"],
    ["id", confirmed ? html`<${Digits} value=${id} what="id" />` : undefined],
    [
      "insideOf",
      confirmed?.aggregate ? html`<${TransactionLink} hash=${confirmed.aggregate.hash} isShort=${false} />` : undefined,
    ],
    ["block", confirmed ? html`<${BlockLink} height=${confirmed.height} />` : undefined, "height"],
    ["time", confirmed ? html`<${Time} timestamp=${confirmed.timestamp} />` : undefined],
    ["signer", html`<${AccountLink} address=${signer?.address ?? signerPublicKey} names=${signer?.names} />`, "signer"],
    [
      "recipient",
      recipientAddress
        ? html`<${AccountLink} address=${recipient?.address ?? recipientAddress} names=${recipient?.names} />`
        : undefined,
      "recipient",
    ],
    [
      "mosaics",
      mosaics?.length > 0 ? mosaics.map((mosaic) => html`<div><${MosaicAmount} ...${mosaic} /></div>`) : undefined,
      "mosaics",
    ],
    ["fee", confirmed?.fee ? html`<${CurrencyAmount} amount=${confirmed.fee} />` : undefined, "fee"],
    ["maximumFee", maxFee ? html`<${CurrencyAmount} amount=${maxFee} />` : undefined],
    ["deadline", transaction.deadline ? html`<${Time} timestamp=${transaction.deadline} />` : undefined],
    ["size", size ? bytes(size) : undefined],
    ["version", String(transaction.version)],
    ["signature", signature ? html`<${Digits} value=${signature} what="signature" />` : undefined],
  ]} />`;
}

/** A transaction that no node shows. */
function WithoutContent({ hash, status }) {
  const isRejected = status.group === "failed";
  return html`
    <${Heading} kind="transaction" text=${words(`group.${status.group}`)}><span class="state" data-state=${isRejected ? "failed" : "open"}>${words(`group.${status.group}`)}</span><//>
    <${Section} title="overview"><${Facts} rows=${[
      ["hash", html`<${Digits} value=${hash} what="transactionHash" />`, "hash"],
      ["reason", isRejected ? html`${nameOf("failures", status.code)} <code>${status.code}</code>` : undefined, "code"],
      ["waitsFor", status.waitsFor ? words(`waitsFor.${status.waitsFor}`) : undefined, "waits-for"],
      ["deadline", html`<${Time} timestamp=${status.deadline} />`],
    ]} /><//>`;
}
