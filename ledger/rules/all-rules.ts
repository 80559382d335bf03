import type { NetworkConfig } from "../config/network-config.js";
import { addAccountLinkRules } from "./account-link.js";
import { addAccountRestrictionRules } from "./account-restriction.js";
import { addAggregateRules } from "./aggregate.js";
import { addCoreRules } from "./core.js";
import { addHarvestRules } from "./harvest.js";
import { addHashLockRules } from "./hash-lock.js";
import { addMetadataRules } from "./metadata.js";
import { addMosaicRules } from "./mosaic.js";
import { addMosaicRestrictionRules } from "./mosaic-restriction.js";
import { addMultisigRules } from "./multisig.js";
import { addNamespaceRules } from "./namespace.js";
import { type Publishers, RuleBook } from "./rule-book.js";
import { addSecretLockRules } from "./secret-lock.js";
import { addTransferRules } from "./transfer.js";

/** Adds the validators and observers of a plugin, and returns how it publishes its kinds of transactions. */
type Plugin = (rules: RuleBook) => Partial<Publishers>;

/** The rules of each plugin. Those of `coresystem`, which nodes load first, are not among them. */
const PLUGINS = {
  "catapult.plugins.accountlink": addAccountLinkRules,
  "catapult.plugins.aggregate": addAggregateRules,
  "catapult.plugins.lockhash": addHashLockRules,
  "catapult.plugins.locksecret": addSecretLockRules,
  "catapult.plugins.metadata": addMetadataRules,
  "catapult.plugins.mosaic": addMosaicRules,
  "catapult.plugins.multisig": addMultisigRules,
  "catapult.plugins.namespace": addNamespaceRules,
  "catapult.plugins.restrictionaccount": addAccountRestrictionRules,
  "catapult.plugins.restrictionmosaic": addMosaicRestrictionRules,
  "catapult.plugins.transfer": addTransferRules,
} satisfies Record<string, Plugin>;

type Published<P extends Plugin> = P extends Plugin ? keyof ReturnType<P> : never;

/** A kind of transactions that no plugin publishes is a compile error here, which names it. */
export type UnpublishedKind = Nothing<
  Exclude<keyof Publishers, Published<typeof addCoreRules | (typeof PLUGINS)[keyof typeof PLUGINS]>>
>;
type Nothing<Kind extends never> = Kind;

/**
 * The rules of all plugins of a network. If several plugins check the same thing, the first failure counts: their
 * order is that in which the network's nodes load them.
 *
 * @throws RangeError for a plugin that is not known
 */
export function createRuleBook(config: NetworkConfig): RuleBook {
  const rules = new RuleBook(config);
  rules.publish(addCoreRules(rules));
  addHarvestRules(rules);
  for (const name of config.plugins) {
    const add = (PLUGINS as Readonly<Record<string, Plugin>>)[name];
    if (!add) throw new RangeError(`the network has the unknown plugin ${name}`);
    rules.publish(add(rules));
  }
  return rules;
}
