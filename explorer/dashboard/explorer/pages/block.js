import { count, duration } from "../../format.js";
import { pageOf } from "../../place.js";
import { html } from "../library.js";
import { Heading, Missing } from "../page.js";
import { useQuery } from "../query.js";
import { ReceiptsTable } from "../receipts.js";
import { PagedTable } from "../table.js";
import { TRANSACTION_COLUMNS } from "../transactions.js";
import { AccountLink, Age, CurrencyAmount, Digits, Facts, Section, Time, YesNo } from "../values.js";

const KINDS = { 32835: "nemesis", 33091: "normal", 33347: "importance" };

export function BlockPage({ id, version }) {
  const height = Number(id);
  const { data, failure } = useQuery("block", { height }, version);
  const block = data?.block;
  if (!block) return html`<${Missing} kind="Block" text=${id} failure=${failure} isLoading=${!data} />`;
  return html`
    <${Heading} kind="Block" text=${count(height)} />
    <nav class="pages" aria-label="Neighboring blocks">
      ${height > 1 && html`<a href=${pageOf("block", height - 1)}>Previous block</a>`}
      ${block.next && html`<a href=${pageOf("block", height + 1)}>Next block</a>`}
    </nav>
    <${Section} title="Overview">
      <${Facts} rows=${[
        ["Time", html`<${Time} timestamp=${block.timestamp} /> <small><${Age} timestamp=${block.timestamp} /></small>`],
        [
          "After the previous block",
          height > 2 && block.previous ? duration((block.timestamp - block.previous.timestamp) / 1_000) : undefined,
        ],
        ["Finalized", html`<${YesNo} value=${block.isFinalized} />`, "finalized"],
        ["Transactions", count(block.transactionsCount), "transactionsCount"],
        ["Including embedded ones", count(block.totalTransactionsCount), "totalTransactionsCount"],
        ["Statements", count(block.statementsCount), "statementsCount"],
        ["Fees", html`<${CurrencyAmount} amount=${block.totalFee} />`, "totalFee"],
        ["Fee multiplier", count(block.feeMultiplier), "feeMultiplier"],
        [
          "Harvester",
          block.harvester ? html`<${AccountLink} ...${block.harvester} />` : block.signerPublicKey,
          "harvester",
        ],
        [
          "Beneficiary",
          html`<${AccountLink} address=${block.beneficiaryAddress} names=${block.beneficiary?.names} />`,
          "beneficiary",
        ],
        ["Type", KINDS[block.type] ?? String(block.type)],
        ["Size", `${count(block.size)} bytes`],
        ["Difficulty", count(block.difficulty)],
        ["Accounts that may vote", block.votingEligibleAccountsCount && count(block.votingEligibleAccountsCount)],
        [
          "Accounts that may harvest",
          block.harvestingEligibleAccountsCount && count(block.harvestingEligibleAccountsCount),
        ],
      ]} />
    <//>
    <${Section} title="Transactions">
      <${PagedTable} id="transactions" label="Transactions" query="blockTransactions" variables=${{ height }}
        pick=${(answer) => answer.block.transactions} columns=${TRANSACTION_COLUMNS} version=${block.hash} />
    <//>
    <${Section} title="Receipts">
      <${PagedTable} id="statements" label="Receipts" query="blockStatements" variables=${{ height }}
        pick=${(answer) => ReceiptsTable.flatten(answer.block.statements)} columns=${ReceiptsTable.columns} version=${block.hash} />
    <//>
    <${Section} title="Hashes">
      <${Facts} rows=${[
        ["Block", html`<${Digits} value=${block.hash} what="block hash" />`, "hash"],
        ["Previous block", html`<${Digits} value=${block.previousHash} what="hash of the previous block" />`],
        ["Generation", html`<${Digits} value=${block.generationHash} what="generation hash" />`],
        ["Transactions", html`<${Digits} value=${block.transactionsHash} what="transactions hash" />`],
        ["Receipts", html`<${Digits} value=${block.receiptsHash} what="receipts hash" />`],
        ["State", html`<${Digits} value=${block.stateHash} what="state hash" />`],
        ["Signer's public key", html`<${Digits} value=${block.signerPublicKey} what="public key of the signer" />`],
      ]} />
    <//>`;
}
