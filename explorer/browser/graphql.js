// The data of the pages: documents by their names (documents.js) over HTTP.

import { getJson } from "./connection.js";
import { html, useEffect, useState } from "./dom.js";
import { words } from "./words.js";

/** What the page shows first, which its HTML has requested already: once, as it changes afterwards. */
const first = readFirst();

async function readFirst() {
  const link = document.querySelector('link[rel="preload"]');
  const answers = link ? await getJson(link.href).catch(() => []) : [];
  return new Map(answers.map(({ name, variables, data }) => [keyOf(name, variables), data]));
}

const keyOf = (name, variables) => JSON.stringify([name, variables]);

/** The data of a document. @throws Error with the gateway's message in the language of the page */
export async function ask(name, variables = {}) {
  const known = await first;
  const key = keyOf(name, variables);
  if (known.has(key)) {
    const data = known.get(key);
    known.delete(key);
    return data;
  }
  const given =
    Object.keys(variables).length > 0 ? `?${new URLSearchParams({ variables: JSON.stringify(variables) })}` : "";
  return getJson(`explorer/data/${name}${given}`);
}

/**
 * The response to a document of documents.js, by its name: `{ data, failure }`, both undefined until it arrives. It is
 * asked again when the variables or `version` change; what was shown stays until the new response is there, also while
 * the gateway does not answer. Without a name nothing is asked.
 */
export function useQuery(query, variables, version) {
  const [response, setResponse] = useState({});
  const key = keyOf(query, variables);
  useEffect(() => {
    if (query === undefined) return undefined;
    let isCurrent = true;
    ask(query, variables).then(
      (data) => isCurrent && setResponse({ key, data }),
      ({ message }) =>
        isCurrent && setResponse((last) => (last.key === key && last.data ? last : { failure: message })),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, version]);
  return response;
}

/** What is shown of the response to a document, `{ data, failure }`. @param view of its data */
export function answered({ data, failure }, view) {
  if (failure) return html`<p role="alert" class="failure">${plainly(failure)}</p>`;
  return data ? view(data) : html`<p class="note">${words("loading")}</p>`;
}

/** A message of GraphQL without the part that is about its variables. */
function plainly(failure) {
  if (failure.includes('Expected type "Address"')) return words("mistypedAddress");
  return failure.replace(/Variable "\$\w+" got invalid value .*?; (Expected type "\w+"\. )?/, "");
}
