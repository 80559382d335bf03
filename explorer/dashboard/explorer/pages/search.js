import { pageOf } from "../../place.js";
import { html, useEffect } from "../library.js";
import { Heading } from "../page.js";
import { useQuery } from "../query.js";

const SEARCH = "query ($text: String!) { search(text: $text) { kind key } }";

/** Goes to the page of what was found; lists the pages if there are several. */
export function SearchPage() {
  const text = new URLSearchParams(location.search).get("q") ?? "";
  const { data, failure } = useQuery(SEARCH, { text });
  const hits = data?.search;
  const only = hits?.length === 1 ? hits[0] : undefined;
  useEffect(() => {
    if (only) location.replace(pageOf(only.kind, only.key));
  }, [only]);
  return html`
    <${Heading} kind="Search" text=${text} />
    ${failure && html`<p role="alert" class="failure">${failure}</p>`}
    ${!hits && !failure && html`<p class="note">searching</p>`}
    ${hits?.length === 0 && html`<p id="missing">Nothing has this height, hash, address, public key, id or name.</p>`}
    <ul>${(hits ?? []).map(({ kind, key }) => html`<li><a href=${pageOf(kind, key)}>${kind} ${key}</a></li>`)}</ul>`;
}
