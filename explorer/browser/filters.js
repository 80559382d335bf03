import { html } from "./dom.js";
import { transactionTypes } from "./format.js";
import { words } from "./words.js";

// The filters of a list are part of the page's address: a link to it shows the same.

/** Each filter's field in the form. Values come from the page's address. */
const FILTERS = {
  type: {
    label: "type",
    field: (value) =>
      html`<select name="type"><option value="">${words("any")}</option>${transactionTypes.map(({ type, name }) => html`<option value=${type} selected=${value === String(type)}>${name}</option>`)}</select>`,
  },
  account: {
    label: "account",
    field: (value) =>
      html`<input name="account" value=${value} size="42" spellcheck="false" placeholder=${words("address")} />`,
  },
  mosaic: {
    label: "mosaic",
    field: (value) =>
      html`<input name="mosaic" value=${value} size="16" spellcheck="false" placeholder=${words("id")} />`,
  },
  from: {
    label: "fromDay",
    field: (value) => html`<input name="from" type="date" value=${value} />`,
  },
  until: {
    label: "untilDay",
    field: (value) => html`<input name="until" type="date" value=${value} />`,
  },
  embedded: {
    label: "alsoEmbedded",
    field: (value) => html`<input name="embedded" type="checkbox" value="true" checked=${value === "true"} />`,
  },
  group: {
    label: "group",
    field: (value) =>
      html`<select name="group"><option value="unconfirmed">${words("group.unconfirmed")}</option><option value="partial" selected=${value === "partial"}>${words("group.partial")}</option></select>`,
  },
};

/** A form that leads to the list with other filters; it works as any form does. */
export function FilterForm({ names, filters }) {
  if (names.length === 0) return "";
  return html`<form class="filter">
    ${names.map((name) => html`<label>${words(FILTERS[name].label)} ${FILTERS[name].field(filters[name] ?? "")}</label>`)}
    <button type="submit">${words("show")}</button>
  </form>`;
}
