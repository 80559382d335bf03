import { isName, plainText } from "../typed-text.ts";
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
let chosen = -1;

const element = (name, properties) => Object.assign(document.createElement(name), properties);

/** Links to the pages, with what they are about. */
function show(suggestions) {
  const options = suggestions.map(({ kind, key, text }, index) => {
    const option = element("div", { id: `suggestion-${index}`, title: key });
    option.setAttribute("role", "option");
    const link = element("a", { href: pageOf(kind, key), textContent: text, tabIndex: -1 });
    option.append(link, element("small", { textContent: words(kind) }));
    return option;
  });
  list.replaceChildren(...options);
  list.hidden = options.length === 0;
  input.setAttribute("aria-expanded", String(!list.hidden));
  choose(-1);
}

function choose(index) {
  chosen = index;
  for (const [place, option] of [...list.children].entries())
    option.setAttribute("aria-selected", String(place === index));
  if (index < 0) input.removeAttribute("aria-activedescendant");
  else input.setAttribute("aria-activedescendant", `suggestion-${index}`);
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
  const { length } = list.children;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") return show([]);
  if (step && length > 0) choose((chosen + step + length) % length);
  else if (event.key === "Enter" && chosen >= 0) list.children[chosen].querySelector("a").click();
  else return;
  event.preventDefault();
});
form.addEventListener("focusout", ({ relatedTarget }) => form.contains(relatedTarget) || show([]));
// Otherwise the box loses the focus, and the list goes before it is clicked.
list.addEventListener("mousedown", (event) => event.preventDefault());
