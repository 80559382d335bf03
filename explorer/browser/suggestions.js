import { ask } from "./graphql.js";
import { words } from "./words.js";

// What the search box suggests while one types: what the text names already, and names that begin with it.

const GATHER_MS = 150;
const MIN_LENGTH = 2;
/** What the name of a namespace consists of. */
const NAME = /^[a-z0-9_.-]+$/i;

const input = document.querySelector("#search input");
const list = document.getElementById("suggestions");

function show(suggestions) {
  const options = suggestions.map(({ value, label }) =>
    Object.assign(document.createElement("option"), { value, label }),
  );
  list.replaceChildren(...options);
}

/** As typed, in the form that names have. */
const typedIn = ({ value }) => value.normalize("NFKC").trim();

/** A name leads to what it names. */
function ofName({ name, namespace }) {
  const { address, mosaicId } = namespace?.alias ?? {};
  if (address) return { value: address, label: `${name}: ${words("account")}` };
  return mosaicId
    ? { value: mosaicId, label: `${name}: ${words("mosaic")}` }
    : { value: name, label: words("namespace") };
}

async function suggest() {
  const text = typedIn(input);
  if (text.length < MIN_LENGTH) return show([]);
  const { search, namespacesByPrefix } = await ask(NAME.test(text) ? "suggestions" : "search", { text });
  // A later text has its own answer.
  if (text !== typedIn(input)) return;
  const names = namespacesByPrefix?.data ?? [];
  // A whole name is the first of those that begin with it.
  const others = search.filter(({ kind }) => kind !== "namespace" || names.length === 0);
  show([...others.map(({ kind, key }) => ({ value: key, label: words(kind) })), ...names.map(ofName)]);
}

let timer;
input.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => suggest().catch(() => show([])), GATHER_MS);
});
