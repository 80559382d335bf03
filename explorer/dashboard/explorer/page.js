import { html, useEffect } from "./library.js";

/** A page's heading, which is also the title of its tab. */
export function Heading({ kind, children, text }) {
  useEffect(() => {
    document.title = `${kind} ${text} · symbol-gateway`;
  }, [kind, text]);
  return html`<h1><span class="kind">${kind}</span> ${children ?? text}</h1>`;
}

/** What a key must look like, by the kind of its page, and what people call it. */
const KEYS = {
  Block: [/^[1-9]\d{0,15}$/, "a height"],
  Transaction: [/^([0-9A-F]{64}|[0-9A-F]{24})$/i, "the hash of a transaction, which has 64 hex digits"],
  Account: [
    /^([A-Z2-7]{39}|[0-9A-F]{64}|[0-9A-F]{48})$/i,
    "an address, which has 39 letters and digits, or a public key, which has 64 hex digits",
  ],
  Mosaic: [/^[0-9A-F]{16}$/i, "the id of a mosaic, which has 16 hex digits"],
};

/** Why there can be no such thing, or undefined if it may exist. */
export function keyProblem(kind, text) {
  const [form, name] = KEYS[kind] ?? [];
  return form === undefined || form.test(text) ? undefined : `${text} is not ${name}.`;
}

/** A message of GraphQL without the part that is about its variables. */
function plainly(failure) {
  if (failure.includes('Expected type "Address"'))
    return "This address has a typing error: its last characters do not fit the others.";
  return failure.replace(/^Variable "\$\w+" got invalid value .*?; /, "");
}

/** Shown while a page is loading, and for what does not exist. */
export function Missing({ kind, text, failure, isLoading }) {
  if (failure)
    return html`<${Heading} kind=${kind} text=${text} /><p role="alert" class="failure">${plainly(failure)}</p>`;
  if (isLoading) return html`<${Heading} kind=${kind} text=${text} /><p class="note">loading</p>`;
  return html`<${Heading} kind=${kind} text=${text} /><p id="missing">Not found in the index or among pending transactions.</p>`;
}
