import { html, useEffect } from "./library.js";

/** A page's heading, which is also the title of its tab. */
export function Heading({ kind, children, text }) {
  useEffect(() => {
    document.title = `${kind} ${text} · symbol-gateway`;
  }, [kind, text]);
  return html`<h1><span class="kind">${kind}</span> ${children ?? text}</h1>`;
}

/** Shown while a page is loading, and for what does not exist. */
export function Missing({ kind, text, failure, isLoading }) {
  if (failure) return html`<${Heading} kind=${kind} text=${text} /><p role="alert" class="failure">${failure}</p>`;
  if (isLoading) return html`<${Heading} kind=${kind} text=${text} /><p class="note">loading</p>`;
  return html`<${Heading} kind=${kind} text=${text} /><p id="missing">Not found in the index or among pending transactions.</p>`;
}
