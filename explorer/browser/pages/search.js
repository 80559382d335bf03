import { isName, plainText } from "../../typed-text.ts";
import { html, useEffect } from "../dom.js";
import { answered, useQuery } from "../graphql.js";
import { Heading } from "../page.js";
import { pageOf } from "../paths.js";
import { foundIn } from "../suggestions.js";
import { Table } from "../table.js";
import { words } from "../words.js";

const ADDRESS = /^[A-Z2-7]{39}$/i;
const COLUMNS = [
  ["name", ({ kind, key, text }) => html`<a href=${pageOf(kind, key)} translate="no">${text}</a>`, "main flexible"],
  ["type", ({ kind }) => words(kind), "aside"],
];

/** Goes to the page of what was found; lists the pages if there are several. */
export function SearchPage() {
  const text = plainText(new URLSearchParams(location.search).get("q") || "");
  const answer = useQuery(isName(text) ? "suggestions" : "search", { text });
  const { data } = answer;
  const only = data?.search.length === 1 ? data.search[0] : undefined;
  // The page of an account says what is wrong with an address.
  const isAddress = data?.search.length === 0 && ADDRESS.test(text);
  useEffect(() => {
    if (only) location.replace(pageOf(only.kind, only.key));
    if (isAddress) location.replace(pageOf("account", text));
  }, [only, isAddress]);
  const found = data ? foundIn(data) : [];
  return html`<${Heading} kind="search" text=${text} />
    ${answered(answer, () => (found.length > 0 ? html`<section><${Table} id="found" label="search" rows=${found} columns=${COLUMNS} /></section>` : html`<p id="missing">${words("nothingFound")}</p>`))}`;
}
