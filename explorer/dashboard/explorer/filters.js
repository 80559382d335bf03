import { transactionTypes } from "../format.js";
import { html } from "./library.js";

// The filters of a list are part of the page's address: a link to it shows the same.

const DAY_MS = 86_400_000;

/** One filter: its field in the form, and the query's variables for a value. Values come from the page's address. */
const FILTERS = {
  type: {
    label: "Type",
    field: (value) =>
      html`<select name="type"><option value="">any</option>${transactionTypes.map(({ type, name }) => html`<option value=${type} selected=${value === String(type)}>${name}</option>`)}</select>`,
    variables: (value) => ({ type: [Number(value)] }),
  },
  account: {
    label: "Account",
    field: (value) => html`<input name="account" value=${value} size="42" spellcheck="false" placeholder="address" />`,
    variables: (value) => ({ address: value.toUpperCase().replaceAll("-", "") }),
  },
  mosaic: {
    label: "Mosaic",
    field: (value) => html`<input name="mosaic" value=${value} size="16" spellcheck="false" placeholder="id" />`,
    variables: (value) => ({ mosaicId: value.toUpperCase() }),
  },
  from: {
    label: "From",
    field: (value) => html`<input name="from" type="date" value=${value} />`,
    variables: (value) => ({ fromTime: new Date(value).toISOString() }),
  },
  until: {
    label: "Until",
    field: (value) => html`<input name="until" type="date" value=${value} />`,
    // The whole day.
    variables: (value) => ({ toTime: new Date(new Date(value).getTime() + DAY_MS - 1).toISOString() }),
  },
  embedded: {
    label: "with embedded ones",
    field: (value) => html`<input name="embedded" type="checkbox" value="true" checked=${value === "true"} />`,
    variables: () => ({ embedded: true }),
  },
  group: {
    label: "Group",
    field: (value) =>
      html`<select name="group"><option value="unconfirmed">unconfirmed</option><option value="partial" selected=${value === "partial"}>partial</option></select>`,
    variables: (value) => ({ group: value === "partial" ? "partial" : "unconfirmed" }),
  },
};

/** Those of `names` that the page's address has. */
export function readFilters(names) {
  const query = new URLSearchParams(location.search);
  const given = names.map((name) => [name, query.get(name) ?? ""]).filter(([, value]) => value !== "");
  return Object.fromEntries(given);
}

export const variablesOf = (filters) =>
  Object.assign({}, ...Object.entries(filters).map(([name, value]) => FILTERS[name].variables(value)));

/** A form that leads to the list with other filters; it works as any form does. */
export function FilterForm({ names, filters }) {
  if (names.length === 0) return "";
  return html`<form class="filter">
    ${names.map((name) => html`<label>${FILTERS[name].label} ${FILTERS[name].field(filters[name] ?? "")}</label>`)}
    <button type="submit">Show</button>
  </form>`;
}
