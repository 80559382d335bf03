import { plainText } from "../../typed-text.ts";
import { html, useEffect } from "../dom.js";
import { useQuery } from "../graphql.js";
import { Heading } from "../page.js";
import { pageOf } from "../place.js";
import { PagedTable } from "../table.js";
import { NamespaceLink, Section } from "../values.js";
import { words } from "../words.js";

const ADDRESS = /^[A-Z2-7]{39}$/i;
/** What a namespace's name consists of. */
const NAME = /^[a-z0-9_.-]+$/i;

/** Names that begin with the text. */
function Names({ text }) {
  return html`<${Section} title="namespaces"><${PagedTable} id="names" label="namespaces" query="namesWithPrefix" variables=${{ text }}
    pick=${(answer) => answer.namespacesByPrefix} columns=${[
      ["name", ({ name, namespaceId }) => html`<${NamespaceLink} id=${namespaceId} name=${name} />`],
    ]} /><//>`;
}

/** Goes to the page of what was found; lists the pages if there are several. */
export function SearchPage() {
  const text = plainText(new URLSearchParams(location.search).get("q") || "");
  const { data, failure } = useQuery("search", { text });
  const hits = data?.search;
  const only = hits?.length === 1 ? hits[0] : undefined;
  // The page of an account says what is wrong with an address.
  const isAddress = hits?.length === 0 && ADDRESS.test(text);
  useEffect(() => {
    if (only) location.replace(pageOf(only.kind, only.key));
    if (isAddress) location.replace(pageOf("account", text));
  }, [only, isAddress]);
  return html`
    <${Heading} kind="search" text=${text} />
    ${failure && html`<p role="alert" class="failure">${failure}</p>`}
    ${!hits && !failure && html`<p class="note">${words("searching")}</p>`}
    ${hits?.length === 0 && html`<p id="missing">${words("nothingFound")}</p>`}
    <ul class="hits">${(hits ?? []).map(({ kind, key }) => html`<li><a href=${pageOf(kind, key)}>${words(kind)} ${key}</a></li>`)}</ul>
    ${hits && !only && NAME.test(text) && html`<${Names} text=${text} />`}`;
}
