import { html, useState } from "./dom.js";
import { transactionTypes } from "./format.js";
import { PagedTable } from "./table.js";
import { columnsFor } from "./transactions.js";
import { words } from "./words.js";

/** The transactions of an account, by role and type. */
export function TransactionSearch({ address, publicKey, version }) {
  const [filter, setFilter] = useState({ role: "any", type: "", embedded: false });
  const change =
    (field) =>
    ({ target }) =>
      setFilter({ ...filter, [field]: target.type === "checkbox" ? target.checked : target.value });
  const roles = {
    any: { address },
    signer: { signerPublicKey: publicKey },
    recipient: { recipientAddress: address },
  };
  const variables = {
    ...roles[filter.role],
    ...(filter.type !== "" && { type: [Number(filter.type)] }),
    embedded: filter.embedded,
  };
  return html`
    <form class="filter" onSubmit=${(event) => event.preventDefault()}>
      <label>${words("role")} <select id="role" value=${filter.role} onChange=${change("role")}>
        <option value="any">${words("any")}</option><option value="signer">${words("signer")}</option><option value="recipient">${words("recipient")}</option>
      </select></label>
      <label>${words("type")} <select id="type" value=${filter.type} onChange=${change("type")}>
        <option value="">${words("any")}</option>
        ${transactionTypes.map(({ type, name }) => html`<option value=${type}>${name}</option>`)}
      </select></label>
      <label><input id="embedded" type="checkbox" checked=${filter.embedded} onChange=${change("embedded")} /> ${words("alsoEmbedded")}</label>
    </form>
    <${PagedTable} id="transactions" label="transactions" query="accountTransactions" variables=${variables}
      pick=${(answer) => answer.transactions} columns=${columnsFor(address)} version=${version} />`;
}
