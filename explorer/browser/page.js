import { html, useEffect } from "./dom.js";
import { answered } from "./graphql.js";
import { Copy, Facts, Section } from "./values.js";
import { words } from "./words.js";

/** A page's heading, which is also the title of its tab. @param kind what it is about; undefined for a list */
export function Heading({ kind, children, text }) {
  const name = kind === undefined ? "" : words(kind);
  useEffect(() => {
    document.title = `${[name, text].filter(Boolean).join(" ")} · symbol-gateway`;
  }, [name, text]);
  const content = children || text;
  return html`<h1>${name && html`<span class=${content ? "kind" : ""}>${name}</span>`} ${content}</h1>`;
}

/** The heading of what has a key, and maybe a name. @param what names the key for those who copy it */
export const KeyHeading = ({ kind, name, id, what }) =>
  html`<${Heading} kind=${kind} text=${name || id}>${name} <code class="faint" translate="no">${id}</code> <${Copy} text=${id} what=${what} /><//>`;

/** A section about an answer, which may fail alone. @param rowsOf the facts in it, or `view` what is shown of it */
export const Part = ({ title, answer, rowsOf, view, isHalf }) =>
  html`<${Section} title=${title} isHalf=${isHalf}>${answered(answer, view ?? ((data) => html`<${Facts} rows=${rowsOf(data)} />`))}<//>`;

/** What a key must look like, by the kind of its page, and what people call it. */
const KEYS = {
  block: [/^[1-9]\d{0,15}$/, "notAHeight"],
  transaction: [/^([0-9A-F]{64}|[0-9A-F]{24})$/i, "notAHash"],
  account: [/^([A-Z2-7]{39}|[0-9A-F]{64}|[0-9A-F]{48})$/i, "notAnAddress"],
  mosaic: [/^[0-9A-F]{16}$/i, "notAMosaic"],
};

/** Why there can be no such thing, or undefined if it may exist. */
export function keyProblem(kind, text) {
  const [form, name] = KEYS[kind] || [];
  return form === undefined || form.test(text) ? undefined : words(name, { text });
}

/** Shown while a page is loading, and for what does not exist. */
export function Missing({ kind, text, failure, isLoading, note = words("notFound") }) {
  const answer = { failure, data: isLoading ? undefined : {} };
  return html`<${Heading} kind=${kind} text=${text} />${answered(answer, () => html`<p id="missing">${note}</p>`)}`;
}
