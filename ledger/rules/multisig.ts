import type { EmbeddedEntity } from "../../catapult/entity/transaction-entity.js";
import { type ApprovalKind, Approvals, areEligible } from "../tables/approvals.js";
import { hasCosignatory } from "../tables/multisig.js";
import { mapKey } from "../trees/state-table.js";
import type { ExecutableTransaction } from "./notifications.js";
import type { Publishers, RuleBook, ValidationContext } from "./rule-book.js";
import { bytesOf } from "./wire.js";

const PUBLISHERS = {
  multisig_account_modification: (modification, context, notify) => {
    const multisig = context.signerAddress;
    const additions = modification.addressAdditions.map(bytesOf);
    const deletions = modification.addressDeletions.map(bytesOf);
    for (const cosignatory of additions) {
      notify({ kind: "accountAddress", address: cosignatory });
      notify({ kind: "multisigNewCosignatory", multisig, cosignatory });
    }
    if (additions.length || deletions.length) notify({ kind: "multisigCosignatories", multisig, additions, deletions });
    const { type, minRemovalDelta, minApprovalDelta } = modification;
    if (additions.length) notify({ kind: "addressInteraction", source: multisig, type, participants: additions });
    notify({ kind: "multisigSettings", multisig, minRemovalDelta, minApprovalDelta });
  },
} satisfies Partial<Publishers>;

/** Multisig accounts, and the required signers of an aggregate (catapult `plugins/txes/multisig`). */
export function addMultisigRules(rules: RuleBook) {
  addModificationRules(rules);
  addApprovalRules(rules);
  return PUBLISHERS;
}

function addModificationRules(rules: RuleBook): void {
  rules.stateless("multisigCosignatories", ({ additions, deletions }) => {
    if (deletions.length > 1) return "Failure_Multisig_Multiple_Deletes";
    const added = new Set(additions.map(mapKey));
    if (added.size !== additions.length) return "Failure_Multisig_Redundant_Modification";
    const isInBoth = deletions.some((address) => added.has(mapKey(address)));
    return isInBoth ? "Failure_Multisig_Account_In_Both_Sets" : undefined;
  });

  rules.stateful("multisigNewCosignatory", ({ cosignatory }, { tables, config, resolveAddress }) => {
    const count = tables.multisigs.get(resolveAddress(cosignatory))?.multisigAddresses.length ?? 0;
    const hasRoom = count < config.multisig.maxCosignedAccountsPerAccount;
    return hasRoom ? undefined : "Failure_Multisig_Max_Cosigned_Accounts";
  });
  rules.stateful("multisigCosignatories", ({ multisig, additions, deletions }, { tables, config }) => {
    const current = tables.multisigs.get(multisig)?.cosignatoryAddresses.length ?? 0;
    const resulting = current + additions.length - deletions.length;
    // The reference's number has no sign: fewer than none are too many.
    const isAllowed = resulting >= 0 && resulting <= config.multisig.maxCosignatoriesPerAccount;
    return isAllowed ? undefined : "Failure_Multisig_Max_Cosignatories";
  });
  rules.stateful("multisigCosignatories", ({ multisig, additions, deletions }, { tables, resolveAddress }) => {
    const entry = tables.multisigs.get(multisig);
    if (!entry) return deletions.length ? "Failure_Multisig_Unknown_Multisig_Account" : undefined;
    const isCosignatory = (address: Buffer) => hasCosignatory(entry, resolveAddress(address));
    if (additions.some(isCosignatory)) return "Failure_Multisig_Already_A_Cosignatory";
    return deletions.every(isCosignatory) ? undefined : "Failure_Multisig_Not_A_Cosignatory";
  });
  rules.stateful("multisigSettings", ({ multisig, minRemovalDelta, minApprovalDelta }, { tables }) => {
    const entry = tables.multisigs.get(multisig);
    if (!entry) {
      const isDissolved = minRemovalDelta === -1 && minApprovalDelta === -1;
      return isDissolved ? undefined : "Failure_Multisig_Min_Setting_Out_Of_Range";
    }
    const settings = [entry.minRemoval + minRemovalDelta, entry.minApproval + minApprovalDelta];
    if (settings.some((setting) => setting < 1)) return "Failure_Multisig_Min_Setting_Out_Of_Range";
    const isTooLarge = settings.some((setting) => setting > entry.cosignatoryAddresses.length);
    return isTooLarge ? "Failure_Multisig_Min_Setting_Larger_Than_Num_Cosignatories" : undefined;
  });
  rules.stateful("multisigNewCosignatory", ({ multisig, cosignatory }, { tables, config, resolveAddress }) => {
    const { multisigs } = tables;
    const bottom = resolveAddress(cosignatory);
    const above = multisigs.levels(multisig, "above");
    const below = multisigs.levels(bottom, "below");
    if (above + below + 1 > config.multisig.maxDepth) return "Failure_Multisig_Max_Multisig_Depth";
    const isLoop = bottom.equals(multisig) || (above > 0 && below > 0 && multisigs.isBelow(multisig, bottom));
    return isLoop ? "Failure_Multisig_Loop" : undefined;
  });

  rules.observe("multisigCosignatories", ({ multisig, additions, deletions }, { tables, resolveAddress }) => {
    for (const address of additions) tables.multisigs.addCosignatory(multisig, resolveAddress(address));
    for (const address of deletions) tables.multisigs.removeCosignatory(multisig, resolveAddress(address));
    tables.multisigs.removeIfUnlinked(multisig);
  });
  rules.observe("multisigSettings", ({ multisig, minRemovalDelta, minApprovalDelta }, { tables }) => {
    tables.multisigs.changeSettings(multisig, minApprovalDelta, minRemovalDelta);
  });
}

function addApprovalRules(rules: RuleBook): void {
  rules.stateful("transaction", ({ sender }, { tables }) =>
    tables.multisigs.get(sender)?.cosignatoryAddresses.length
      ? "Failure_Multisig_Operation_Prohibited_By_Account"
      : undefined,
  );
  rules.stateful("aggregateCosignatures", ({ transaction, cosigners }, context) => {
    const { tables, config } = context;
    const required = transaction.embedded.flatMap(({ entity, signerAddress }) =>
      requiredSigners(entity, signerAddress, context),
    );
    const signers = [transaction.signerAddress, ...cosigners];
    const isAllowed = areEligible(signers, required, tables.multisigs, config.multisig.maxDepth);
    return isAllowed ? undefined : "Failure_Aggregate_Ineligible_Cosignatories";
  });
  rules.stateful("embeddedTransaction", ({ entity, signerAddress, approvals }, context) => {
    const { multisigs } = context.tables;
    const kind = selectApprovalKind(entity);
    const isApproved = requiredSigners(entity, signerAddress, context).every((address) =>
      approvals.isGivenBy(address, kind, multisigs),
    );
    return isApproved ? undefined : "Failure_Aggregate_Missing_Cosignatures";
  });
}

/** An account whose approval an aggregate lacks. */
export interface MissingApproval {
  readonly address: Buffer;
  /** How many more of these accounts have to sign for it: one, or more for a multisig account. */
  readonly needed: number;
  /** Accounts whose signature counts and is missing: itself, or the cosignatories below it. */
  readonly cosigners: readonly Buffer[];
}

/** The approvals that the transactions of an aggregate lack, if these addresses sign it. */
export function missingApprovals(
  { embedded }: ExecutableTransaction,
  signers: readonly Buffer[],
  context: ValidationContext,
): readonly MissingApproval[] {
  const { multisigs } = context.tables;
  const approvals = new Approvals(signers, context.config.multisig.maxDepth);
  const missing = new Map<string, MissingApproval>();
  for (const { entity, signerAddress } of embedded) {
    const kind = selectApprovalKind(entity);
    for (const address of requiredSigners(entity, signerAddress, context)) {
      if (approvals.isGivenBy(address, kind, multisigs)) continue;
      const needed = approvals.lackedBy(address, kind, multisigs);
      const key = mapKey(address);
      const known = missing.get(key);
      if (needed <= (known?.needed ?? 0)) continue;
      const cosigners = known?.cosigners ?? approvals.unsignedLeaves(address, multisigs);
      missing.set(key, { address, needed, cosigners });
    }
  }
  return [...missing.values()];
}

/** The required signers of an embedded transaction: its signer, new cosignatories, and the target of metadata. */
function requiredSigners(entity: EmbeddedEntity, signerAddress: Buffer, context: ValidationContext): readonly Buffer[] {
  return [signerAddress, ...additionalSigners(entity).map((address) => context.resolveAddress(bytesOf(address)))];
}

function additionalSigners(entity: EmbeddedEntity): readonly Buffer[] {
  switch (entity.kind) {
    case "multisig_account_modification":
      return entity.addressAdditions;
    case "account_metadata":
    case "mosaic_metadata":
    case "namespace_metadata":
      return [entity.targetAddress];
    default:
      return [];
  }
}

/** What a transaction needs of multisig accounts: most need approvals, changes of their cosignatories others too. */
function selectApprovalKind(entity: EmbeddedEntity): ApprovalKind {
  if (entity.kind !== "multisig_account_modification" || !entity.addressDeletions.length) return "approval";
  return entity.addressAdditions.length ? "both" : "removal";
}
