import type { NetworkConfigurationBody } from "../body/network-properties.js";
import type { Properties, Section } from "../network/properties.js";

const PLUGIN_PREFIX = "plugin:catapult.plugins.";
const REISSUANCE = "treasury_reissuance_transaction_signatures";
const CORRUPT_HASHES = "corrupt_aggregate_transaction_hashes";
const KNOWN_TITLES = new Set(["network", "chain", "fork_heights", REISSUANCE, CORRUPT_HASHES]);

/**
 * The REST body of a node's `config-network.properties` (`NetworkConfigurationDTO`): texts as in the file. Properties
 * and sections that only newer nodes have are passed through: properties under their names, sections under theirs in
 * camel case.
 */
export function renderNetworkProperties(properties: Properties): string {
  const plugins = properties
    .titles()
    .filter((title) => title.startsWith(PLUGIN_PREFIX))
    .map((title) => [title.slice(PLUGIN_PREFIX.length), valuesOf(properties.section(title))] as const);
  const others = properties
    .titles()
    .filter((title) => !title.startsWith(PLUGIN_PREFIX) && !KNOWN_TITLES.has(title))
    .map((title) => [camelCase(title), valuesOf(properties.section(title))] as const);
  const reissuance = properties.find(REISSUANCE);
  const corruptHashes = properties.find(CORRUPT_HASHES);
  const body: NetworkConfigurationBody = {
    network: valuesOf(properties.section("network")),
    chain: valuesOf(properties.section("chain")),
    plugins: Object.fromEntries(plugins),
    forkHeights: valuesOf(properties.find("fork_heights")),
    ...(reissuance && { treasuryReissuanceTransactionSignatures: signaturesOf(reissuance) }),
    ...(corruptHashes && { corruptAggregateTransactionHashes: pairsOf(corruptHashes) }),
    ...Object.fromEntries(others),
  };
  return JSON.stringify(body);
}

function camelCase(title: string): string {
  return title.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Texts, except that true and false are booleans. */
function valuesOf(section: Section | undefined): Record<string, string | boolean> {
  const names = section?.names() ?? [];
  return Object.fromEntries(names.map((name) => [name, toValue(section?.text(name) ?? "")]));
}

function toValue(text: string): string | boolean {
  return text === "true" || text === "false" ? text === "true" : text;
}

/** The names of the enabled ones. */
function signaturesOf(section: Section): string[] {
  return section
    .names()
    .filter((name) => section.text(name) === "true")
    .sort();
}

function pairsOf(section: Section): string[] {
  return section
    .names()
    .map((name) => `${name} = ${section.text(name)}`)
    .sort();
}
