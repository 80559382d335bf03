import { count, typeName } from "../../format.js";
import { Content } from "../content.js";
import { sentenceOfFailure } from "../failures.js";
import { html } from "../library.js";
import { Lifecycle } from "../lifecycle.js";
import { Heading, Missing } from "../page.js";
import { useQuery } from "../query.js";
import { ReceiptsTable } from "../receipts.js";
import { Resolutions } from "../resolutions.js";
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
} from "../values.js";

const ID_LENGTH = 24;

export function TransactionPage({ id, version }) {
  const { data, failure } = useQuery(id.length === ID_LENGTH ? "transactionOfId" : "transaction", { key: id }, version);
  const confirmed = data?.transactionsByIds[0];
  const transaction = confirmed ?? data?.unconfirmed?.[0] ?? data?.partial?.[0];
  const status = data?.transactionStatuses?.[0];
  if (!transaction && status) return html`<${WithoutContent} hash=${id} status=${status} />`;
  if (!transaction) return html`<${Missing} kind="Transaction" text=${id} failure=${failure} isLoading=${!data} />`;
  const { embedded, cosignatures } = transaction;
  return html`
    <${Heading} kind="Transaction" text=${typeName(transaction.type)} />
    <p><${Sentence} row=${transaction} /></p>
    <${Section} title="Lifecycle"><${Lifecycle} transaction=${transaction} confirmed=${confirmed} head=${data.indexStatus.height} /><//>
    <${Section} title="Overview"><${Overview} transaction=${transaction} confirmed=${confirmed} /><//>
    <${Section} title="Content"><${Content} body=${transaction.body} /><//>
    ${
      embedded.length > 0 &&
      html`<${Section} title="Embedded transactions">
      <${Table} id="embedded" label="Embedded transactions" columns=${EMBEDDED_COLUMNS} rows=${embedded} />
    <//>`
    }
    ${
      cosignatures.length > 0 &&
      html`<${Section} title="Cosignatures">
      <${Table} id="cosignatures" label="Cosignatures" rows=${cosignatures} columns=${[
        [
          "Cosigner",
          ({ signer, signerPublicKey }) =>
            html`<${AccountLink} address=${signer?.address ?? signerPublicKey} names=${signer?.names} />`,
        ],
      ]} />
    <//>`
    }
    ${
      confirmed &&
      html`
      <${Section} title="Receipts">
        <${Table} id="statements" label="Receipts" columns=${ReceiptsTable.columns}
          rows=${ReceiptsTable.flatten({ data: confirmed.statements }).data} />
      <//>
      <${Section} title="Resolved aliases"><${Resolutions} block=${confirmed.block} index=${confirmed.index}
        transactions=${[confirmed.body, ...embedded.map(({ body }) => body)]} /><//>`
    }`;
}

function Overview({ transaction, confirmed }) {
  const { hash, id, signer, signerPublicKey, recipient, recipientAddress, mosaics, maxFee, size, signature } =
    transaction;
  return html`<${Facts} rows=${[
    ["Hash", hash ? html`<${Digits} value=${hash} what="transaction hash" />` : undefined, "hash"],
    ["Id", confirmed ? html`<${Digits} value=${id} what="id" />` : undefined],
    [
      "Inside of",
      confirmed?.aggregate ? html`<${TransactionLink} hash=${confirmed.aggregate.hash} isShort=${false} />` : undefined,
    ],
    ["Block", confirmed ? html`<${BlockLink} height=${confirmed.height} />` : undefined, "height"],
    ["Time", confirmed ? html`<${Time} timestamp=${confirmed.timestamp} />` : undefined],
    ["Signer", html`<${AccountLink} address=${signer?.address ?? signerPublicKey} names=${signer?.names} />`, "signer"],
    [
      "Recipient",
      recipientAddress
        ? html`<${AccountLink} address=${recipient?.address ?? recipientAddress} names=${recipient?.names} />`
        : undefined,
      "recipient",
    ],
    [
      "Mosaics",
      mosaics?.length > 0 ? mosaics.map((mosaic) => html`<div><${MosaicAmount} ...${mosaic} /></div>`) : undefined,
      "mosaics",
    ],
    ["Fee", confirmed?.fee ? html`<${CurrencyAmount} amount=${confirmed.fee} />` : undefined, "fee"],
    ["Maximum fee", maxFee ? html`<${CurrencyAmount} amount=${maxFee} />` : undefined],
    ["Deadline", transaction.deadline ? html`<${Time} timestamp=${transaction.deadline} />` : undefined],
    ["Size", size ? `${count(size)} bytes` : undefined],
    ["Version", String(transaction.version)],
    ["Signature", signature ? html`<${Digits} value=${signature} what="signature" />` : undefined],
  ]} />`;
}

const WAITS_FOR = { lock: "its hash lock, in a block", node: "a report of the node" };

/** A transaction that no node shows. */
function WithoutContent({ hash, status }) {
  const isRejected = status.group === "failed";
  return html`
    <${Heading} kind="Transaction" text=${isRejected ? "rejected" : status.group} />
    <${Section} title="Overview"><${Facts} rows=${[
      ["Hash", html`<${Digits} value=${hash} what="transaction hash" />`, "hash"],
      ["Reason", isRejected ? html`${sentenceOfFailure(status.code)} <code>${status.code}</code>` : undefined, "code"],
      ["Waits for", WAITS_FOR[status.waitsFor], "waits-for"],
      ["Deadline", html`<${Time} timestamp=${status.deadline} />`],
    ]} /><//>`;
}
