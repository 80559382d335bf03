import { html } from "htm/preact/standalone";
import { bytes, count, duration } from "../format.js";
import { useQuery } from "../graphql.js";
import { Heading, Missing } from "../page.js";
import { pageOf } from "../place.js";
import { ReceiptsTable } from "../receipts.js";
import { PagedTable } from "../table.js";
import { TRANSACTION_COLUMNS } from "../transactions.js";
import { AccountLink, Age, CurrencyAmount, Digits, Facts, Section, Time, YesNo } from "../values.js";
import { words } from "../words.js";

const KINDS = { 32835: "blockType.nemesis", 33091: "blockType.normal", 33347: "blockType.importance" };

export function BlockPage({ id, version }) {
  const height = Number(id);
  const { data, failure } = useQuery("block", { height }, version);
  const block = data?.block;
  if (!block) return html`<${Missing} kind="block" text=${id} failure=${failure} isLoading=${!data} />`;
  return html`
    <${Heading} kind="block" text=${count(height)} />
    <nav class="pages" aria-label=${words("neighboringBlocks")}>
      ${height > 1 && html`<a href=${pageOf("block", height - 1)}>${words("previousBlock")}</a>`}
      ${block.next && html`<a href=${pageOf("block", height + 1)}>${words("nextBlock")}</a>`}
    </nav>
    <${Section} title="overview">
      <${Facts} rows=${[
        ["time", html`<${Time} timestamp=${block.timestamp} /> <small><${Age} timestamp=${block.timestamp} /></small>`],
        [
          "afterPrevious",
          height > 2 && block.previous ? duration((block.timestamp - block.previous.timestamp) / 1_000) : undefined,
        ],
        ["finalized", html`<${YesNo} value=${block.isFinalized} />`, "finalized"],
        ["transactions", count(block.transactionsCount), "transactionsCount"],
        ["withEmbedded", count(block.totalTransactionsCount), "totalTransactionsCount"],
        ["statements", count(block.statementsCount), "statementsCount"],
        ["fees", html`<${CurrencyAmount} amount=${block.totalFee} />`, "totalFee"],
        ["feeMultiplier", count(block.feeMultiplier), "feeMultiplier"],
        [
          "harvester",
          block.harvester ? html`<${AccountLink} ...${block.harvester} />` : block.signerPublicKey,
          "harvester",
        ],
        [
          "beneficiary",
          html`<${AccountLink} address=${block.beneficiaryAddress} names=${block.beneficiary?.names} />`,
          "beneficiary",
        ],
        ["type", KINDS[block.type] ? words(KINDS[block.type]) : String(block.type)],
        ["size", bytes(block.size)],
        ["difficulty", count(block.difficulty)],
        ["votingAccounts", block.votingEligibleAccountsCount && count(block.votingEligibleAccountsCount)],
        ["harvestingAccounts", block.harvestingEligibleAccountsCount && count(block.harvestingEligibleAccountsCount)],
      ]} />
    <//>
    ${
      block.transactionsCount > 0 &&
      html`<${Section} title="transactions">
      <${PagedTable} id="transactions" label="transactions" query="blockTransactions" variables=${{ height }}
        pick=${(answer) => answer.block.transactions} columns=${TRANSACTION_COLUMNS} version=${block.hash} />
    <//>`
    }
    ${
      block.statementsCount > 0 &&
      html`<${Section} title="receipts">
      <${PagedTable} id="statements" label="receipts" query="blockStatements" variables=${{ height }}
        pick=${(answer) => ReceiptsTable.flatten(answer.block.statements)} columns=${ReceiptsTable.columns} version=${block.hash} />
    <//>`
    }
    <${Section} title="hashes">
      <${Facts} rows=${[
        ["block", html`<${Digits} value=${block.hash} what="blockHash" />`, "hash"],
        ["previousBlock", html`<${Digits} value=${block.previousBlockHash} what="previousBlockHash" />`],
        ["generation", html`<${Digits} value=${block.generationHash} what="generationHash" />`],
        ["transactions", html`<${Digits} value=${block.transactionsHash} what="transactionsHash" />`],
        ["receipts", html`<${Digits} value=${block.receiptsHash} what="receiptsHash" />`],
        ["state", html`<${Digits} value=${block.stateHash} what="stateHash" />`],
        ["signerPublicKey", html`<${Digits} value=${block.signerPublicKey} what="signerPublicKey" />`],
      ]} />
    <//>`;
}
