import { html } from "./dom.js";
import { words } from "./words.js";

/** What is shown of the response to a document, `{ data, failure }`. @param view of its data */
export function answered({ data, failure }, view) {
  if (failure) return html`<p role="alert" class="failure">${failure}</p>`;
  return data ? view(data) : html`<p class="note">${words("loading")}</p>`;
}
