import { COLUMNS_OF_BLOCK } from "../columns.js";
import { html } from "../dom.js";
import { bytes, count, duration } from "../format.js";
import { useQuery } from "../graphql.js";
import { Heading, Missing } from "../page.js";
import { pageOf } from "../paths.js";
import { RECEIPT_COLUMNS, receiptsOf } from "../receipts.js";
import { PagedTable } from "../table.js";
import { Age, accountFact, CurrencyAmount, digits, Facts, Section, Time, YesNo } from "../values.js";
import { words } from "../words.js";

const KINDS = { 32835: "blockType.nemesis", 33091: "blockType.normal", 33347: "blockType.importance" };

export function BlockPage({ id, version }) {
  const height = Number(id);
  const { data, failure } = useQuery("block", { height }, version);
  const block = data?.block;
  const note = data && words("noBlockYet", { height: count(height), head: count(data.head.height) });
  if (!block) return html`<${Missing} kind="block" text=${count(height)} ...${{ failure, note }} isLoading=${!data} />`;
  return html`
    <${Heading} kind="block" text=${count(height)} />
    <nav class="pages" aria-label=${words("neighboringBlocks")}>${height > 1 && beside(height - 1, "previousBlock")} ${block.next && beside(height + 1, "nextBlock")}</nav>
    <${Section} title="overview" isHalf>
      <${Facts} rows=${[
        ["time", html`<${Time} timestamp=${block.timestamp} /> <small><${Age} timestamp=${block.timestamp} /></small>`],
        ["afterPrevious", gapBefore(block)],
        ["finalized", html`<${YesNo} value=${block.isFinalized} />`],
        ["transactions", count(block.transactionsCount), "transactionsCount"],
        ["withEmbedded", count(block.totalTransactionsCount), "totalTransactionsCount"],
        ["statements", count(block.statementsCount), "statementsCount"],
        ["fees", html`<${CurrencyAmount} amount=${block.totalFee} />`, "totalFee"],
        ["feeMultiplier", count(block.feeMultiplier)],
        accountFact("harvester", block.harvester, block.signerPublicKey),
        accountFact("beneficiary", block.beneficiary, block.beneficiaryAddress),
        ["type", KINDS[block.type] ? words(KINDS[block.type]) : String(block.type)],
        ["size", bytes(block.size)],
        ["difficulty", count(block.difficulty)],
        ["votingAccounts", block.votingEligibleAccountsCount && count(block.votingEligibleAccountsCount)],
        ["harvestingAccounts", block.harvestingEligibleAccountsCount && count(block.harvestingEligibleAccountsCount)],
      ]} />
    <//>
    <${Section} title="hashes" isHalf>
      <${Facts} rows=${[
        digits("block", block.hash, "blockHash", "hash"),
        digits("previousBlock", block.previousBlockHash, "previousBlockHash"),
        digits("generation", block.generationHash, "generationHash"),
        digits("transactions", block.transactionsHash, "transactionsHash", "transactionsHash"),
        digits("receipts", block.receiptsHash, "receiptsHash", "receiptsHash"),
        digits("state", block.stateHash, "stateHash", "stateHash"),
        digits("signerPublicKey", block.signerPublicKey),
      ]} />
    <//>
    ${block.transactionsCount > 0 && html`<${Part} title="transactions" query="blockTransactions" columns=${COLUMNS_OF_BLOCK} block=${block} pick=${(answer) => answer.block.transactions} />`}
    ${block.statementsCount > 0 && html`<${Part} title="receipts" id="statements" query="blockStatements" columns=${RECEIPT_COLUMNS} block=${block} pick=${(answer) => receiptsOf(answer.block.statements)} />`}`;
}

/** The first block is as old as the network. */
const gapBefore = ({ height, timestamp, previous }) =>
  height > 2 && previous && duration((timestamp - previous.timestamp) / 1_000);

const beside = (height, text) => html`<a class="button" href=${pageOf("block", height)}>${words(text)}</a>`;

const Part = ({ title, id = title, query, columns, block: { height, hash }, pick }) =>
  html`<${Section} title=${title}>
    <${PagedTable} id=${id} label=${title} query=${query} variables=${{ height }} pick=${pick} columns=${columns} version=${hash} />
  <//>`;
