import { words } from "../words.js";
import { formatAmount } from "./amounts.js";
import { html, useState } from "./library.js";
import { PagedTable } from "./table.js";
import { AccountLink } from "./values.js";

/** Who held a mosaic after any block. */
export function PastHolders({ mosaic: { mosaicId, divisibility, startHeight }, height }) {
  const [chosen, setChosen] = useState(Math.max(1, Number(startHeight)));
  const choose = ({ target }) => {
    if (target.value !== "" && target.checkValidity()) setChosen(Number(target.value));
  };
  return html`
    <form class="filter" onSubmit=${(event) => event.preventDefault()}>
      <label>${words("height")} <input id="holders-height" type="number" min="1" max=${height} value=${chosen} onChange=${choose} /></label>
    </form>
    <${PagedTable} id="past-holders" label="pastHolders" query="pastHolders" variables=${{ id: mosaicId, height: chosen }}
      pick=${(answer) => answer.holdersAt} columns=${[
        ["account", ({ address }) => html`<${AccountLink} address=${address} />`],
        ["amount", ({ amount }) => formatAmount(amount, divisibility), "number"],
      ]} />`;
}
