import { html } from "./dom.js";
import { transactionTypes } from "./format.js";
import { words } from "./words.js";

// The filters of a list are part of the page's address: a link to it shows the same.

const select = (options) => (name, value) =>
  html`<select name=${name}>${options.map(([key, text]) => html`<option value=${key} selected=${value === key}>${text}</option>`)}</select>`;
const text = (size, placeholder) => (name, value) =>
  html`<input name=${name} value=${value} size=${size} spellcheck="false" placeholder=${words(placeholder)} />`;
const date = (name, value) => html`<input name=${name} type="date" value=${value} />`;
const named = (name) => (key) => [key, words(`${name}${key}`)];

/** Each filter's label and field. */
const FILTERS = {
  role: ["role", select(["any", "signer", "recipient"].map(named("")))],
  type: ["type", select([["", words("any")], ...transactionTypes.map(({ type, name }) => [String(type), name])])],
  account: ["account", text(42, "address"), "wide"],
  mosaic: ["mosaic", text(16, "id")],
  from: ["fromDay", date],
  until: ["untilDay", date],
  embedded: [
    "alsoEmbedded",
    (name, value) => html`<input name=${name} type="checkbox" value="true" checked=${value === "true"} />`,
    "check",
  ],
  group: ["group", select(["unconfirmed", "partial"].map(named("group.")))],
};

/**
 * A form that leads to the list with other filters; it works as any form does.
 * @param onChange called with the filters instead, as soon as one is changed
 */
export function FilterForm({ names, filters, onChange }) {
  if (names.length === 0) return "";
  const change = ({ target: { name, type, checked, value } }) =>
    onChange?.({ ...filters, [name]: type === "checkbox" ? String(checked) : value });
  return html`<form class="filter" onChange=${change} onSubmit=${(event) => onChange && event.preventDefault()}>
    ${names.map((name) => {
      const [label, field, kind] = FILTERS[name];
      return html`<label class=${kind}>${words(label)} ${field(name, filters[name] ?? "")}</label>`;
    })}
    ${!onChange && html`<button type="submit">${words("show")}</button>`}
  </form>`;
}
