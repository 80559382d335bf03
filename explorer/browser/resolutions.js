import { encodeAddress, namespaceOfAlias } from "./addresses.js";
import { html } from "./dom.js";
import { Listed } from "./table.js";
import { AccountLink, KnownNamespace, MosaicLink } from "./values.js";

// What the aliases in a transaction meant when it was executed: an entry counts from its source on, until the next.

/** Aliases with their targets. @param transactions bodies of the transaction and of those inside it */
export function resolutionsOf(block, index, transactions) {
  const written = JSON.stringify(transactions);
  return [
    ...resolved(block?.addressResolutions, index, written).map(({ unresolved, entry }) => ({
      alias: namespaceOfAlias(unresolved),
      target: html`<${AccountLink} address=${encodeAddress(entry.resolved)} />`,
    })),
    ...resolved(block?.mosaicResolutions, index, written).map(({ unresolved, entry }) => ({
      alias: unresolved,
      target: html`<${MosaicLink} id=${entry.resolved} />`,
    })),
  ];
}

export const Resolutions = ({ rows }) =>
  html`<${Listed} title="resolvedAliases" id="resolutions" rows=${rows} columns=${[
    ["alias", ({ alias }) => html`<${KnownNamespace} id=${alias} />`, "main"],
    ["resolvedTo", ({ target }) => target, "flexible"],
  ]} />`;

/** The aliases that are written in the transaction, each with the last entry up to it. */
function resolved(list, index, written) {
  return (list?.data ?? [])
    .filter(({ unresolved }) => written.includes(unresolved))
    .map(({ unresolved, resolutionEntries }) => ({
      unresolved,
      entry: [...resolutionEntries].reverse().find(({ source }) => source.primaryId <= index + 1),
    }))
    .filter(({ entry }) => entry);
}
