import { shiftOf } from "../../days.ts";
import { accountVariables } from "../../typed-text.ts";
import { chain, currencyText, importanceOf } from "../chain.js";
import { BalanceChart } from "../charts/balance-chart.js";
import { DayChart } from "../charts/day-chart.js";
import { activeColumn, columnsFor, mosaicColumn, nameColumn, startColumn, supplyColumn } from "../columns.js";
import { html, useState } from "../dom.js";
import { FilterForm } from "../filters.js";
import { count, toNumber, typeName } from "../format.js";
import { useQuery } from "../graphql.js";
import { Metadata } from "../metadata.js";
import { MultisigTree } from "../multisig/multisig-tree.js";
import { KeyHeading, Missing } from "../page.js";
import { Listed, PagedTable } from "../table.js";
import {
  AccountLink,
  accountOf,
  BlockLink,
  digits,
  Facts,
  Figure,
  KnownAccount,
  KnownMosaic,
  Section,
} from "../values.js";
import { words } from "../words.js";

const TYPES = ["unlinked", "main", "remote", "remoteUnlinked"];
const MAIN = 1;
const NO_KEY = "0".repeat(64);

export function AccountPage({ id, version }) {
  const { data, failure } = useQuery("account", accountVariables(id), version);
  const account = data?.account;
  const hasIncome = account && account.importance !== "0" && chain.epochMs !== undefined;
  const ofIncome = { address: account?.address, shift: shiftOf(chain.epochMs) };
  const { data: earned } = useQuery(hasIncome ? "harvestIncome" : undefined, ofIncome, version);
  if (!account) return html`<${Missing} kind="account" text=${id} failure=${failure} isLoading=${!data} />`;
  const { address, names, mosaics, multisig } = account;
  const income = earned?.harvestIncome ?? [];
  return html`
    <${KeyHeading} kind="account" name=${names[0]} id=${address} what="address" />
    <${Section} title="overview" isHalf>
      <${Facts} rows=${[
        ["names", names.length > 0 && names.join(words("comma"))],
        account.publicKey === NO_KEY ? ["publicKey", words("notKnownYet")] : digits("publicKey", account.publicKey),
        ["firstBlock", html`<${BlockLink} height=${account.addressHeight} />`],
        ["importance", importanceOf(account.importance)],
        ["harvestedBlocks", count(account.harvestedBlocks.pagination.totalEntries)],
        ["type", html`<${Kind} account=${account} />`],
        digits("vrfPublicKey", account.vrfPublicKey),
        ["votingKeys", account.votingKeys.length > 0 && account.votingKeys.map(epochsOf)],
      ]} />
    <//>
    <${Listed} title="balances" rows=${mosaics} isHalf columns=${[mosaicColumn, ["amount", Balance, "number aside"]]} />
    ${mosaics.length > 0 && html`<${Section} title="balanceOverTime" isHalf=${income.length > 0}><${BalanceChart} address=${address} mosaics=${mosaics} since=${account.addressHeight} version=${version} /><//>`}
    ${income.length > 0 && html`<${Section} title="harvestIncome" isHalf><${DayChart} id="harvestIncome" days=${income} valueIn=${incomeOf} textOf=${incomeText} /><//>`}
    <${Section} title="transactions"><${Transactions} address=${address} publicKey=${account.publicKey} version=${version} /><//>
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
function multisigRows({ minApproval, minRemoval, cosignatoryAddresses, multisigs }) {
  const isShared = cosignatoryAddresses.length > 0;
  const others = multisigs.map((one) => html`<div><${AccountLink} ...${accountOf(one.account, one.address)} /></div>`);
  return [
    ["minApproval", isShared && count(minApproval)],
    ["minRemoval", isShared && count(minRemoval)],
    ["cosignsFor", others.length > 0 && others, "multisigAddresses"],
  ];
}

const RESTRICTION_COLUMNS = [
  ["direction", ({ isOutgoing }) => words(isOutgoing ? "outgoing" : "incoming"), "main"],
  ["kind", ({ isBlocked }) => words(isBlocked ? "blocking" : "allowing"), "aside"],
  [
    "what",
    ({ addresses, mosaicIds, transactionTypes }) => [
      ...addresses.map((address) => html`<div><${KnownAccount} address=${address} /></div>`),
      ...mosaicIds.map((id) => html`<div><${KnownMosaic} id=${id} /></div>`),
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

/** What an account has earned by harvesting on a day. */
const incomeOf = ({ amount }) => toNumber(amount, chain.currency.divisibility);
const incomeText = (_value, { amount }) => currencyText(amount, true);

/** The transactions of an account, by role and type. */
function Transactions({ address, publicKey, version }) {
  const [{ role, type, embedded }, setFilters] = useState({ role: "any" });
  const accounts = {
    any: { address },
    signer: { signerPublicKey: publicKey },
    recipient: { recipientAddress: address },
  };
  const variables = { ...accounts[role], ...(type && { type: [Number(type)] }), embedded: embedded === "true" };
  return html`<${FilterForm} names=${["role", "type", "embedded"]} filters=${{ role, type, embedded }} onChange=${setFilters} />
    <${PagedTable} id="transactions" label="transactions" query="accountTransactions" variables=${variables}
      pick=${(answer) => answer.transactions} columns=${columnsFor(address)} version=${version} />`;
}
