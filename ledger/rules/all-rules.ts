import type { NetworkConfig } from "../state/network-config.js";
import { RuleBook } from "../state/rule-book.js";
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
import { addSecretLockRules } from "./secret-lock.js";
import { addTransferRules } from "./transfer.js";

/**
 * The rules of all plugins of a network. If several plugins check the same thing, the first failure counts: their
 * order is that in which the reference node (built with libstdc++) loads them.
 */
export function createRuleBook(config: NetworkConfig): RuleBook {
  const rules = new RuleBook(config);
  addCoreRules(rules);
  addHarvestRules(rules);
  addMosaicRestrictionRules(rules);
  addMetadataRules(rules);
  addAggregateRules(rules);
  addMultisigRules(rules);
  addHashLockRules(rules);
  addMosaicRules(rules);
  addSecretLockRules(rules);
  addAccountLinkRules(rules);
  addAccountRestrictionRules(rules);
  addTransferRules(rules);
  addNamespaceRules(rules);
  return rules;
}
