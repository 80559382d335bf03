import { isName, plainText } from "../typed-text.ts";
import { html, render } from "./dom.js";
import { ask } from "./graphql.js";
import { pageOf } from "./paths.js";
import { words } from "./words.js";

// What the search box suggests while one types: what the text names already, and names that begin with it.

const GATHER_MS = 150;
const MIN_LENGTH = 2;
const MAX_SHOWN = 10;

const form = document.getElementById("search");
const [input] = form.elements;
const list = document.getElementById("suggestions");
let shown = [];
let chosen = -1;

/** Links to the pages, with what they are about. @param index of the chosen one; -1 for none */
function show(suggestions, index = -1) {
  shown = suggestions;
  chosen = index;
  list.hidden = shown.length === 0;
  input.setAttribute("aria-expanded", String(!list.hidden));
  input.setAttribute("aria-activedescendant", index < 0 ? "" : `suggestion-${index}`);
  const options = shown.map(
    ({ kind, key, text }, place) =>
      html`<div key=${key} id=${`suggestion-${place}`} role="option" title=${key} aria-selected=${String(place === index)}><a href=${pageOf(kind, key)} tabindex="-1" translate="no">${text}</a><small>${words(kind)}</small></div>`,
  );
  render(options, list);
}

/** A name leads to what it names. */
function ofName({ name, namespace }) {
  const { address, mosaicId } = namespace?.alias || {};
  if (address) return { kind: "account", key: address, text: name };
  return mosaicId ? { kind: "mosaic", key: mosaicId, text: name } : { kind: "namespace", key: name, text: name };
}

async function suggest() {
  const text = plainText(input.value);
  if (text.length < MIN_LENGTH) return show([]);
  const answer = await ask(isName(text) ? "suggestions" : "search", { text });
  // A later text has its own answer.
  if (text === plainText(input.value)) show(foundIn(answer).slice(0, MAX_SHOWN));
}

/** The pages in an answer to `suggestions` or `search`, `{ kind, key, text }`. */
export function foundIn({ search, namespacesByPrefix }) {
  const names = namespacesByPrefix?.data || [];
  // A whole name is the first of those that begin with it.
  const others = search.filter(({ kind }) => kind !== "namespace" || names.length === 0);
  return [...others.map((one) => ({ text: one.key, ...one })), ...names.map(ofName)];
}

let timer;
input.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => suggest().catch(() => show([])), GATHER_MS);
});
input.addEventListener("keydown", (event) => {
  const { length } = shown;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") return show([]);
  if (step && length > 0) show(shown, (chosen + step + length) % length);
  else if (event.key === "Enter" && chosen >= 0) list.children[chosen].querySelector("a").click();
  else return;
  event.preventDefault();
});
form.addEventListener("focusout", ({ relatedTarget }) => form.contains(relatedTarget) || show([]));
// Otherwise the box loses the focus, and the list goes before it is clicked.
list.addEventListener("mousedown", (event) => event.preventDefault());
