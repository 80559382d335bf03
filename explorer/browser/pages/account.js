import { html } from "htm/preact/standalone";
import { BalanceChart } from "../balance-chart.js";
import { chain, unixMs } from "../chain.js";
import { Chart } from "../chart.js";
import { count, formatAmount, toNumber, typeName } from "../format.js";
import { useQuery } from "../graphql.js";
import { MetadataTable } from "../metadata.js";
import { MultisigTree } from "../multisig-tree.js";
import { Heading, Missing } from "../page.js";
import { Table } from "../table.js";
import { TransactionSearch } from "../transaction-search.js";
import {
  AccountLink,
  BlockLink,
  Copy,
  Digits,
  Facts,
  MosaicAmount,
  MosaicLink,
  NamespaceLink,
  Section,
  YesNo,
} from "../values.js";
import { words } from "../words.js";

const TYPES = ["unlinked", "main", "remote", "remoteUnlinked"];
const NO_KEY = "0".repeat(64);

export function AccountPage({ id, version }) {
  const { data, failure } = useQuery(id.length === NO_KEY.length ? "accountOfKey" : "account", { id }, version);
  const account = data?.account;
  if (!account) return html`<${Missing} kind="account" text=${id} failure=${failure} isLoading=${!data} />`;
  const { address, names, mosaics, multisig } = account;
  return html`
    <${Heading} kind="account" text=${address}><span class="address">${address}</span> <${Copy} text=${address} what="address" /><//>
    <${Section} title="overview">
      <${Facts} rows=${[
        ["names", names.length > 0 ? names.join(words("comma")) : undefined],
        [
          "publicKey",
          account.publicKey === NO_KEY
            ? words("notKnownYet")
            : html`<${Digits} value=${account.publicKey} what="publicKey" />`,
          "publicKey",
        ],
        ["firstBlock", html`<${BlockLink} height=${account.addressHeight} />`],
        ["importance", count(account.importance), "importance"],
        ["harvestedBlocks", count(account.harvestedBlocks.pagination.totalEntries), "harvestedBlocks"],
        ["type", words(`accountType.${TYPES[account.accountType]}`)],
        ["linkedAccount", account.linkedAccount ? html`<${AccountLink} ...${account.linkedAccount} />` : undefined],
        [
          "vrfPublicKey",
          account.vrfPublicKey ? html`<${Digits} value=${account.vrfPublicKey} what="vrfPublicKey" />` : undefined,
        ],
        [
          "votingKeys",
          account.votingKeys.length > 0
            ? account.votingKeys.map(
                ({ startEpoch, endEpoch }) =>
                  html`<div>${words("epochs", { start: count(startEpoch), end: count(endEpoch) })}</div>`,
              )
            : undefined,
        ],
      ]} />
    <//>
    ${
      mosaics.length > 0 &&
      html`<${Section} title="balances">
      <${Table} id="balances" label="balances" rows=${mosaics} columns=${[
        ["mosaic", ({ mosaicId, mosaic }) => html`<${MosaicLink} id=${mosaicId} names=${mosaic?.names} />`],
        [
          "amount",
          ({ amount, mosaic }) =>
            mosaic ? formatAmount(amount, mosaic.divisibility, true) : words("atomicUnits", { amount }),
          "number",
        ],
      ]} />
    <//>`
    }
    ${mosaics.length > 0 && html`<${Section} title="balanceOverTime"><${BalanceChart} address=${address} mosaics=${mosaics} since=${account.addressHeight} version=${version} /><//>`}
    ${account.importance !== "0" && html`<${Section} title="harvestIncome"><${HarvestIncome} address=${address} version=${version} /><//>`}
    <${Section} title="transactions"><${TransactionSearch} address=${address} publicKey=${account.publicKey} version=${version} /><//>
    ${
      multisig &&
      html`<${Section} title="multisig">
      <${Facts} rows=${multisigRows(multisig)} />
      <${MultisigTree} address=${address} version=${version} />
    <//>`
    }
    ${
      account.namespaces.data.length > 0 &&
      html`<${Section} title="namespaces">
      <${Table} id="namespaces" label="namespaces" rows=${account.namespaces.data} columns=${[
        ["name", ({ namespaceId, name }) => html`<${NamespaceLink} id=${namespaceId} name=${name} />`],
        ["active", ({ active }) => html`<${YesNo} value=${active} />`],
        ["fromBlock", ({ startHeight }) => html`<${BlockLink} height=${startHeight} />`],
      ]} />
    <//>`
    }
    ${
      account.ownedMosaics.data.length > 0 &&
      html`<${Section} title="createdMosaics">
      <${Table} id="mosaics" label="createdMosaics" rows=${account.ownedMosaics.data} columns=${[
        ["mosaic", ({ mosaicId, names: mosaicNames }) => html`<${MosaicLink} id=${mosaicId} names=${mosaicNames} />`],
        [
          "supply",
          ({ mosaicId, supply, ...mosaic }) =>
            html`<${MosaicAmount} amount=${supply} id=${mosaicId} mosaic=${mosaic} isFixed />`,
          "number",
        ],
      ]} />
    <//>`
    }
    ${account.metadata.data.length > 0 && html`<${Section} title="metadata"><${MetadataTable} rows=${account.metadata.data} /><//>`}
    ${account.restrictions && html`<${Section} title="restrictions"><${Restrictions} restrictions=${account.restrictions.restrictions} /><//>`}`;
}

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

const Restrictions = ({ restrictions }) =>
  html`<${Table} id="restrictions" label="restrictions" rows=${restrictions} columns=${[
    ["direction", ({ isOutgoing }) => words(isOutgoing ? "outgoing" : "incoming")],
    ["kind", ({ isBlocked }) => words(isBlocked ? "blocking" : "allowing")],
    [
      "what",
      ({ addresses, mosaicIds, transactionTypes }) => [
        ...addresses.map((address) => html`<div><${AccountLink} address=${address} /></div>`),
        ...mosaicIds.map((mosaicId) => html`<div><${MosaicLink} id=${mosaicId} /></div>`),
        ...transactionTypes.map((type) => html`<div>${typeName(type)}</div>`),
      ],
    ],
  ]} />`;

const DAY_MS = 86_400_000;

/** What an account has earned by harvesting, day by day. */
function HarvestIncome({ address, version }) {
  // Days begin at midnight, UTC.
  const shift = chain.epochMs === undefined ? 0 : (DAY_MS - (chain.epochMs % DAY_MS)) % DAY_MS;
  const { data, failure } = useQuery("harvestIncome", { address, shift }, version);
  if (failure) return html`<p role="alert" class="failure">${failure}</p>`;
  const { divisibility, name } = chain.currency;
  const points = (data?.harvestIncome ?? []).map(({ timestamp, amount }) => ({
    x: (unixMs(timestamp) ?? timestamp) / 1_000,
    y: toNumber(amount, divisibility),
    label: unixMs(timestamp) === undefined ? String(timestamp) : new Date(unixMs(timestamp)).toISOString().slice(0, 10),
    text: `${formatAmount(amount, divisibility, true)} ${name}`,
  }));
  return html`<${Chart} id="harvest-income" label="harvestIncome" kind="bars" points=${points} />`;
}
