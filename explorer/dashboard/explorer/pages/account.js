import { count } from "../../format.js";
import { formatAmount } from "../amounts.js";
import { BalanceChart } from "../balance-chart.js";
import { HarvestIncome } from "../harvest-income.js";
import { html } from "../library.js";
import { MetadataTable } from "../metadata.js";
import { MultisigTree } from "../multisig-tree.js";
import { Heading, Missing } from "../page.js";
import { useQuery } from "../query.js";
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

const TYPES = ["unlinked", "main", "remote", "remote, unlinked"];
const NO_KEY = "0".repeat(64);

export function AccountPage({ id, version }) {
  const { data, failure } = useQuery(id.length === NO_KEY.length ? "accountOfKey" : "account", { id }, version);
  const account = data?.account;
  if (!account) return html`<${Missing} kind="Account" text=${id} failure=${failure} isLoading=${!data} />`;
  const { address, names, mosaics, multisig } = account;
  return html`
    <${Heading} kind="Account" text=${address}><span class="address">${address}</span> <${Copy} text=${address} what="address" /><//>
    <${Section} title="Overview">
      <${Facts} rows=${[
        ["Names", names.length > 0 ? names.join(", ") : undefined],
        [
          "Public key",
          account.publicKey === NO_KEY
            ? "not known yet"
            : html`<${Digits} value=${account.publicKey} what="public key" />`,
          "publicKey",
        ],
        ["First block that named it", html`<${BlockLink} height=${account.addressHeight} />`],
        ["Importance", count(account.importance), "importance"],
        ["Harvested blocks", count(account.harvestedBlocks.pagination.totalEntries), "harvestedBlocks"],
        ["Type", TYPES[account.accountType] ?? String(account.accountType)],
        ["Linked account", account.linkedAccount ? html`<${AccountLink} ...${account.linkedAccount} />` : undefined],
        [
          "VRF public key",
          account.vrfPublicKey ? html`<${Digits} value=${account.vrfPublicKey} what="VRF public key" />` : undefined,
        ],
        [
          "Voting keys",
          account.votingKeys.length > 0
            ? account.votingKeys.map(
                ({ startEpoch, endEpoch }) => html`<div>epochs ${count(startEpoch)} to ${count(endEpoch)}</div>`,
              )
            : undefined,
        ],
      ]} />
    <//>
    <${Section} title="Balances">
      <${Table} id="balances" label="Balances" rows=${mosaics} columns=${[
        ["Mosaic", ({ mosaicId, mosaic }) => html`<${MosaicLink} id=${mosaicId} names=${mosaic?.names} />`],
        [
          "Amount",
          ({ amount, mosaic }) => (mosaic ? formatAmount(amount, mosaic.divisibility) : `${amount} atomic units`),
          "number",
        ],
      ]} />
    <//>
    ${mosaics.length > 0 && html`<${Section} title="Balance over time"><${BalanceChart} address=${address} mosaics=${mosaics} since=${account.addressHeight} version=${version} /><//>`}
    ${account.importance !== "0" && html`<${Section} title="Harvest income per day"><${HarvestIncome} address=${address} version=${version} /><//>`}
    <${Section} title="Transactions"><${TransactionSearch} address=${address} publicKey=${account.publicKey} version=${version} /><//>
    ${
      multisig &&
      html`<${Section} title="Multisig">
      <${Facts} rows=${multisigRows(multisig)} />
      <${MultisigTree} address=${address} version=${version} />
    <//>`
    }
    ${
      account.namespaces.data.length > 0 &&
      html`<${Section} title="Namespaces">
      <${Table} id="namespaces" label="Namespaces" rows=${account.namespaces.data} columns=${[
        ["Name", ({ namespaceId, name }) => html`<${NamespaceLink} id=${namespaceId} name=${name} />`],
        ["Active", ({ active }) => html`<${YesNo} value=${active} />`],
        ["From block", ({ startHeight }) => html`<${BlockLink} height=${startHeight} />`],
      ]} />
    <//>`
    }
    ${
      account.ownedMosaics.data.length > 0 &&
      html`<${Section} title="Created mosaics">
      <${Table} id="mosaics" label="Created mosaics" rows=${account.ownedMosaics.data} columns=${[
        ["Mosaic", ({ mosaicId, names: mosaicNames }) => html`<${MosaicLink} id=${mosaicId} names=${mosaicNames} />`],
        [
          "Supply",
          ({ mosaicId, supply, ...mosaic }) =>
            html`<${MosaicAmount} amount=${supply} id=${mosaicId} mosaic=${mosaic} />`,
        ],
      ]} />
    <//>`
    }
    ${account.metadata.data.length > 0 && html`<${Section} title="Metadata"><${MetadataTable} rows=${account.metadata.data} /><//>`}
    ${account.restrictions && html`<${Section} title="Restrictions"><${Restrictions} restrictions=${account.restrictions.restrictions} /><//>`}`;
}

/** A multisig account has cosignatories; an account that only cosigns for others has no signatures to count. */
function multisigRows({ minApproval, minRemoval, cosignatoryAddresses, multisigAddresses }) {
  const isShared = cosignatoryAddresses.length > 0;
  const list = (addresses) => addresses.map((address) => html`<div><${AccountLink} address=${address} /></div>`);
  return [
    ["Signatures to approve", isShared ? count(minApproval) : undefined, "minApproval"],
    ["Signatures to remove a cosignatory", isShared ? count(minRemoval) : undefined, "minRemoval"],
    ["Cosigns for", multisigAddresses.length > 0 ? list(multisigAddresses) : undefined, "multisigAddresses"],
  ];
}

const Restrictions = ({ restrictions }) =>
  html`<${Table} id="restrictions" label="Restrictions" rows=${restrictions} columns=${[
    ["Direction", ({ isOutgoing }) => (isOutgoing ? "outgoing" : "incoming")],
    ["Kind", ({ isBlocked }) => (isBlocked ? "blocks" : "allows only")],
    [
      "What",
      ({ addresses, mosaicIds, transactionTypes }) => [
        ...addresses.map((address) => html`<div><${AccountLink} address=${address} /></div>`),
        ...mosaicIds.map((mosaicId) => html`<div><${MosaicLink} id=${mosaicId} /></div>`),
        ...transactionTypes.map((type) => html`<div>transaction type ${type}</div>`),
      ],
    ],
  ]} />`;
