import { transactionTypes } from "../format.js";
import { html } from "./library.js";

// The filters of a list are part of the page's address: a link to it shows the same.

/** Each filter's field in the form. Values come from the page's address. */
const FILTERS = {
  type: {
    label: "Type",
    field: (value) =>
      html`<select name="type"><option value="">any</option>${transactionTypes.map(({ type, name }) => html`<option value=${type} selected=${value === String(type)}>${name}</option>`)}</select>`,
  },
  account: {
    label: "Account",
    field: (value) => html`<input name="account" value=${value} size="42" spellcheck="false" placeholder="address" />`,
  },
  mosaic: {
    label: "Mosaic",
    field: (value) => html`<input name="mosaic" value=${value} size="16" spellcheck="false" placeholder="id" />`,
  },
  from: {
    label: "From",
    field: (value) => html`<input name="from" type="date" value=${value} />`,
  },
  until: {
    label: "Until",
    field: (value) => html`<input name="until" type="date" value=${value} />`,
  },
  embedded: {
    label: "with embedded ones",
    field: (value) => html`<input name="embedded" type="checkbox" value="true" checked=${value === "true"} />`,
  },
  group: {
    label: "Group",
    field: (value) =>
      html`<select name="group"><option value="unconfirmed">unconfirmed</option><option value="partial" selected=${value === "partial"}>partial</option></select>`,
  },
};

/** A form that leads to the list with other filters; it works as any form does. */
export function FilterForm({ names, filters }) {
  if (names.length === 0) return "";
  return html`<form class="filter">
    ${names.map((name) => html`<label>${FILTERS[name].label} ${FILTERS[name].field(filters[name] ?? "")}</label>`)}
    <button type="submit">Show</button>
  </form>`;
}
