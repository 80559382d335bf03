import { count } from "../../format.js";
import { html } from "../library.js";
import { MetadataTable } from "../metadata.js";
import { Heading, Missing } from "../page.js";
import { useQuery } from "../query.js";
import { Table } from "../table.js";
import { AccountLink, BlockLink, Copy, Facts, MosaicLink, NamespaceLink, Section, YesNo } from "../values.js";

/** The end of a namespace that never ends. */
const NEVER = "18446744073709551615";

/** @param id its id (16 hex digits) or full name */
export function NamespacePage({ id, version }) {
  return /^[0-9A-F]{16}$/i.test(id)
    ? html`<${Found} id=${id} version=${version} />`
    : html`<${Named} id=${id} version=${version} />`;
}

function Named({ id, version }) {
  const named = useQuery("search", { text: id });
  const found = named.data?.search.find(({ kind }) => kind === "namespace")?.key;
  if (found) return html`<${Found} id=${found} version=${version} />`;
  return html`<${Missing} kind="Namespace" text=${id} failure=${named.failure} isLoading=${!named.data} />`;
}

function Found({ id, version }) {
  const { data, failure } = useQuery("namespace", { id }, version);
  const namespace = data?.namespace;
  if (!namespace) return html`<${Missing} kind="Namespace" text=${id} failure=${failure} isLoading=${!data} />`;
  const { namespaceId, name, alias, parent, family } = namespace;
  return html`
    <${Heading} kind="Namespace" text=${name ?? namespaceId}>${name ?? ""} <code>${namespaceId}</code> <${Copy} text=${namespaceId} what="namespace id" /><//>
    <${Section} title="Overview">
      <${Facts} rows=${[
        ["Name", name ?? "unknown", "name"],
        ["Owner", html`<${AccountLink} address=${namespace.ownerAddress} names=${namespace.owner?.names} />`, "owner"],
        ["Alias of", html`<${Alias} alias=${alias} />`, "alias"],
        ["Active", html`<${YesNo} value=${namespace.active} />`, "active"],
        ["From block", html`<${BlockLink} height=${namespace.startHeight} />`, "startHeight"],
        ["Until block", namespace.endHeight === NEVER ? "never expires" : count(namespace.endHeight), "endHeight"],
        [
          "Parent",
          parent ? html`<${NamespaceLink} id=${parent.namespaceId} name=${parent.name} />` : "none: it is a root",
        ],
      ]} />
    <//>
    <${Section} title="Namespaces of the same root">
      <${Table} id="family" label="Namespaces of the same root" rows=${family.data} columns=${[
        ["Name", ({ namespaceId: other, name: otherName }) => html`<${NamespaceLink} id=${other} name=${otherName} />`],
        ["Level", ({ depth }) => String(depth)],
        ["Active", ({ active }) => html`<${YesNo} value=${active} />`],
      ]} />
    <//>
    ${namespace.metadata.data.length > 0 && html`<${Section} title="Metadata"><${MetadataTable} rows=${namespace.metadata.data} /><//>`}`;
}

function Alias({ alias: { address, mosaicId } }) {
  if (address) return html`account <${AccountLink} address=${address} />`;
  if (mosaicId) return html`mosaic <${MosaicLink} id=${mosaicId} />`;
  return "nothing";
}
