import { countColumn } from "../columns.js";
import { html, useEffect, useState } from "../dom.js";
import { ask } from "../graphql.js";
import { Table } from "../table.js";
import { KnownAccount } from "../values.js";
import { missingSignatures, requiredBy } from "./missing-signatures.js";

const addressesOf = (embedded) => [...new Set(embedded.flatMap(requiredBy))];

/** Entries of all accounts with cosignatories that have to do with these, by address. */
async function readMultisigs(addresses) {
  const graphs = await Promise.all(addresses.map((address) => ask("multisigGraph", { address })));
  const entries = graphs.flatMap(({ multisigGraph }) => (multisigGraph ?? []).flatMap((level) => level.entries));
  const shared = entries.filter(({ cosignatoryAddresses }) => cosignatoryAddresses.length > 0);
  return new Map(shared.map((entry) => [entry.address, entry]));
}

/** Whose signature a partial transaction lacks. */
export function MissingCosigners({ transaction: { embedded, signer, cosignatures }, version }) {
  const [multisigs, setMultisigs] = useState();
  const [failure, setFailure] = useState();
  const addresses = addressesOf(embedded);
  useEffect(() => {
    readMultisigs(addresses).then(setMultisigs, ({ message }) => setFailure(message));
  }, [addresses.join(), version]);
  if (failure) return html`<p role="alert" class="failure">${failure}</p>`;
  if (!multisigs) return "";
  const signed = new Set([signer, ...cosignatures.map((one) => one.signer)].map((one) => one?.address));
  const rows = missingSignatures(embedded, signed, multisigs);
  return html`<${Table} id="missing-cosigners" label="missingCosignatures" rows=${rows} columns=${[
    ["account", ({ address }) => html`<${KnownAccount} address=${address} />`, "main"],
    countColumn("signaturesNeeded", ({ needed }) => needed, "number aside labelled"),
    [
      "cosigner",
      ({ cosigners }) => cosigners.map((address) => html`<div><${KnownAccount} address=${address} /></div>`),
    ],
  ]} />`;
}
