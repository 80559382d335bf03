import { shiftOf } from "../../days.ts";
import { chain, unixMs } from "../chain.js";
import { BalanceChart } from "../charts/balance-chart.js";
import { Chart } from "../charts/chart.js";
import { activeColumn, mosaicColumn, nameColumn, startColumn, supplyColumn } from "../columns.js";
import { html } from "../dom.js";
import { count, day, formatAmount, toNumber, typeName } from "../format.js";
import { answered, useQuery } from "../graphql.js";
import { importanceOf } from "../lists.js";
import { Metadata } from "../metadata.js";
import { MultisigTree } from "../multisig/multisig-tree.js";
import { Heading, Missing } from "../page.js";
import { Listed } from "../table.js";
import { TransactionSearch } from "../transaction-search.js";
import { AccountLink, BlockLink, Copy, digits, Facts, Figure, MosaicLink, Section } from "../values.js";
import { words } from "../words.js";

const TYPES = ["unlinked", "main", "remote", "remoteUnlinked"];
const MAIN = 1;
const NO_KEY = "0".repeat(64);

export function AccountPage({ id, version }) {
  const { data, failure } = useQuery(id.length === NO_KEY.length ? "accountOfKey" : "account", { id }, version);
  const account = data?.account;
  const hasImportance = account && account.importance !== "0";
  const { data: network } = useQuery(hasImportance ? "totalImportance" : undefined, {}, 0);
  if (!account) return html`<${Missing} kind="account" text=${id} failure=${failure} isLoading=${!data} />`;
  const { address, names, mosaics, multisig } = account;
  return html`
    <${Heading} kind="account" text=${names[0] || address}>${names[0]} <code class="address" translate="no">${address}</code> <${Copy} text=${address} what="address" /><//>
    <${Section} title="overview" isHalf>
      <${Facts} rows=${[
        ["names", names.join(words("comma")) || undefined],
        account.publicKey === NO_KEY ? ["publicKey", words("notKnownYet")] : digits("publicKey", account.publicKey),
        ["firstBlock", html`<${BlockLink} height=${account.addressHeight} />`],
        [
          "importance",
          importanceOf(account.importance, hasImportance ? network?.network.totalImportance : undefined),
          "importance",
        ],
        ["harvestedBlocks", count(account.harvestedBlocks.pagination.totalEntries), "harvestedBlocks"],
        ["type", html`<${Kind} account=${account} />`],
        digits("vrfPublicKey", account.vrfPublicKey),
        ["votingKeys", account.votingKeys.length > 0 ? account.votingKeys.map(epochsOf) : undefined],
      ]} />
    <//>
    <${Listed} title="balances" rows=${mosaics} isHalf columns=${[mosaicColumn, ["amount", Balance, "number aside"]]} />
    ${mosaics.length > 0 && html`<${Section} title="balanceOverTime" isHalf=${hasImportance}><${BalanceChart} address=${address} mosaics=${mosaics} since=${account.addressHeight} version=${version} /><//>`}
    ${hasImportance && html`<${Section} title="harvestIncome" isHalf><${HarvestIncome} address=${address} version=${version} /><//>`}
    <${Section} title="transactions"><${TransactionSearch} address=${address} publicKey=${account.publicKey} version=${version} /><//>
    ${multisig && html`<${Section} title="multisig"><${Facts} rows=${multisigRows(multisig)} /><${MultisigTree} address=${address} version=${version} /><//>`}
    <${Listed} title="namespaces" rows=${account.namespaces.data} isHalf columns=${[nameColumn, activeColumn, startColumn("number end labelled")]} />
    <${Listed} title="createdMosaics" id="mosaics" rows=${account.ownedMosaics.data} isHalf columns=${[mosaicColumn, supplyColumn]} />
    <${Metadata} rows=${account.metadata.data} />
    <${Listed} title="restrictions" rows=${account.restrictions?.restrictions || []} columns=${RESTRICTION_COLUMNS} />`;
}

const epochsOf = ({ startEpoch, endEpoch }) =>
  html`<div>${words("epochs", { start: count(startEpoch), end: count(endEpoch) })}</div>`;

const Balance = ({ amount, mosaic }) =>
  mosaic ? html`<${Figure} amount=${amount} divisibility=${mosaic.divisibility} />` : words("atomicUnits", { amount });

/** A multisig account has cosignatories; an account that only cosigns for others has no signatures to count. */
function multisigRows({ minApproval, minRemoval, cosignatoryAddresses, multisigAddresses }) {
  const isShared = cosignatoryAddresses.length > 0;
  const list = (addresses) => addresses.map((address) => html`<div><${AccountLink} address=${address} /></div>`);
  return [
    ["minApproval", isShared ? count(minApproval) : undefined, "minApproval"],
    ["minRemoval", isShared ? count(minRemoval) : undefined, "minRemoval"],
    ["cosignsFor", multisigAddresses.length > 0 ? list(multisigAddresses) : undefined, "multisigAddresses"],
  ];
}

const RESTRICTION_COLUMNS = [
  ["direction", ({ isOutgoing }) => words(isOutgoing ? "outgoing" : "incoming"), "main"],
  ["kind", ({ isBlocked }) => words(isBlocked ? "blocking" : "allowing"), "aside"],
  [
    "what",
    ({ addresses, mosaicIds, transactionTypes }) => [
      ...addresses.map((address) => html`<div><${AccountLink} address=${address} isShort /></div>`),
      ...mosaicIds.map((mosaicId) => html`<div><${MosaicLink} id=${mosaicId} /></div>`),
      ...transactionTypes.map((type) => html`<div>${typeName(type)}</div>`),
    ],
  ],
];

/** What kind of account it is, in words. */
function Kind({ account: { accountType, linkedAccount } }) {
  const kind = words(`accountType.${TYPES[accountType]}`);
  if (!linkedAccount) return html`<span>${kind}</span>`;
  const account = html`<${AccountLink} ...${linkedAccount} isShort />`;
  return html`<span>${words(accountType === MAIN ? "mainOf" : "remoteOf", { account })}</span>`;
}

/** What an account has earned by harvesting, day by day. */
function HarvestIncome({ address, version }) {
  const shift = chain.epochMs === undefined ? 0 : shiftOf(chain.epochMs);
  const answer = useQuery("harvestIncome", { address, shift }, version);
  if (!answer.data) return answered(answer);
  const { divisibility, name } = chain.currency;
  const points = answer.data.harvestIncome.map(({ timestamp, amount }) => ({
    x: (unixMs(timestamp) ?? timestamp) / 1_000,
    y: toNumber(amount, divisibility),
    label: unixMs(timestamp) === undefined ? String(timestamp) : day(unixMs(timestamp)),
    text: `${formatAmount(amount, divisibility, true)} ${name}`,
  }));
  return html`<${Chart} id="harvest-income" label="harvestIncome" kind="bars" points=${points} />`;
}
