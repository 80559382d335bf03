import { activeColumn, nameColumn } from "../columns.js";
import { html } from "../dom.js";
import { count } from "../format.js";
import { useQuery } from "../graphql.js";
import { Metadata } from "../metadata.js";
import { KeyHeading, Missing } from "../page.js";
import { Listed } from "../table.js";
import { AccountLink, Alias, accountFact, BlockLink, Facts, NamespaceLink, Section, YesNo } from "../values.js";
import { words } from "../words.js";

/** The end of a namespace that never ends. */
const NEVER = "18446744073709551615";

/** @param id its id (16 hex digits) or full name */
export function NamespacePage({ id, version }) {
  const isId = /^[0-9A-F]{16}$/i.test(id);
  const named = useQuery(isId ? undefined : "search", { text: id });
  const found = isId ? id : named.data?.search.find(({ kind }) => kind === "namespace")?.key;
  if (found) return html`<${Found} id=${found} version=${version} />`;
  return html`<${Missing} kind="namespace" text=${id} failure=${named.failure} isLoading=${!named.data} />`;
}

function Found({ id, version }) {
  const { data, failure } = useQuery("namespace", { id }, version);
  const namespace = data?.namespace;
  if (data?.ended) return html`<${Ended} id=${id} ...${data.ended} />`;
  if (!namespace) return html`<${Missing} kind="namespace" text=${id} failure=${failure} isLoading=${!data} />`;
  const { namespaceId, name, alias, parent, family } = namespace;
  return html`
    <${KeyHeading} kind="namespace" name=${name} id=${namespaceId} what="namespaceId" />
    <${Section} title="overview" isHalf>
      <${Facts} rows=${[
        ["name", name ?? words("unknown")],
        accountFact("owner", namespace.owner, namespace.ownerAddress),
        ["aliasOf", html`<${Alias} ...${alias} isShort=${false} />`, "alias"],
        ["active", html`<${YesNo} value=${namespace.active} />`],
        ["fromBlock", html`<${BlockLink} height=${namespace.startHeight} />`, "startHeight"],
        ["untilBlock", namespace.endHeight === NEVER ? words("neverExpires") : count(namespace.endHeight), "endHeight"],
        ["parent", parent ? html`<${NamespaceLink} id=${parent.namespaceId} name=${parent.name} />` : words("isRoot")],
      ]} />
    <//>
    <${Listed} title="namespaceFamily" id="family" rows=${family.data} isHalf columns=${[
      nameColumn,
      ["level", ({ depth }) => String(depth), "end labelled"],
      activeColumn,
    ]} />
    <${Metadata} rows=${namespace.metadata.data} />`;
}

/** A namespace that is not in the state any more. */
function Ended({ id, name, height, ownerAddress, owner }) {
  const account = ownerAddress && html`<${AccountLink} address=${ownerAddress} names=${owner?.names} />`;
  return html`
    <${KeyHeading} kind="namespace" name=${name} id=${id} what="namespaceId" />
    <p id="ended">${height === null ? words("ended") : words("endedAt", { block: html`<${BlockLink} height=${height} />` })}
      ${" "}${account && words("wasOf", { account })}</p>`;
}
