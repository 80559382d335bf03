import type { FailureName } from "../../catapult/announcement/status-code.js";
import { generateNamespaceId } from "../../catapult/entity/generated-id.js";
import { ETERNAL_HEIGHT, type NamespaceAlias } from "../../catapult/state/namespace.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { addressAt, type NetworkConfig } from "../config/network-config.js";
import { isNamespaceActive, NO_ALIAS, type RootNamespace } from "../tables/namespaces.js";
import type { Notify } from "./notifications.js";
import type { PublishContext, Publishers, RuleBook, ValidationContext } from "./rule-book.js";
import { bytesOf } from "./wire.js";

const VALID_NAME = /^[a-z0-9][a-z0-9_-]*$/;
const CHILD = 1;
const LINK = 1;

/** Namespaces and their aliases (catapult `plugins/txes/namespace`). */
export function addNamespaceRules(rules: RuleBook) {
  addRegistrationRules(rules);
  addAliasRules(rules);

  rules.stateful("namespaceRequired", ({ owner, id }, context) => {
    const root = context.tables.namespaces.rootOf(id);
    if (!root) return "Failure_Namespace_Unknown";
    return checkOwned(root, context.resolveAddress(owner), context);
  });

  rules.observe("block", (_, { tables, config, height, statement }) => {
    const graceHeight = height + Number(config.namespace.gracePeriodDuration);
    for (const id of tables.namespaces.endingAt(graceHeight)) {
      statement.addArtifactExpiry(RECEIPT_TYPE.namespace_expired, id);
    }
    for (const id of tables.namespaces.endingAt(height))
      statement.addArtifactExpiry(RECEIPT_TYPE.namespace_deleted, id);
  });
  return publishers(rules);
}

function publishers({ config }: RuleBook) {
  return {
    namespace_registration: (registration, context, notify) => {
      const { id, registrationType } = registration;
      const owner = context.signerAddress;
      const isChild = registrationType === CHILD;
      const duration = isChild ? 0n : registration.durationOrParentId;
      const parentId = isChild ? registration.durationOrParentId : 0n;

      publishRentalFee(config, isChild ? undefined : duration, context, notify);
      notify({ kind: "namespaceRegistration", registrationType });
      if (isChild) notify({ kind: "childNamespace", owner, id, parentId });
      else notify({ kind: "rootNamespace", owner, id, duration });
      notify({ kind: "namespaceName", id, parentId, name: bytesOf(registration.name) });
    },
    address_alias: ({ namespaceId, aliasAction: action, address }, { signerAddress: owner }, notify) => {
      notify({ kind: "namespaceRequired", owner, id: namespaceId });
      notify({ kind: "aliasLink", namespaceId, action });
      notify({ kind: "aliasedAddress", namespaceId, action, address: bytesOf(address) });
    },
    mosaic_alias: ({ namespaceId, aliasAction: action, mosaicId }, { signerAddress: owner }, notify) => {
      notify({ kind: "namespaceRequired", owner, id: namespaceId });
      notify({ kind: "aliasLink", namespaceId, action });
      notify({ kind: "aliasedMosaic", namespaceId, action, mosaicId });
      if (action === LINK) notify({ kind: "mosaicRequired", owner, mosaicId, flags: 0, isResolved: true });
    },
  } satisfies Partial<Publishers>;
}

function addRegistrationRules(rules: RuleBook): void {
  const { config } = rules;
  const reservedIds = new Set([...config.namespace.reservedRootNames].map((name) => generateNamespaceId(name)));

  rules.stateless("namespaceRegistration", ({ registrationType }) =>
    registrationType > CHILD ? "Failure_Namespace_Invalid_Registration_Type" : undefined,
  );
  rules.stateless("namespaceName", ({ id, parentId, name }, { namespace }) => {
    const isValid = name.length <= namespace.maxNameSize && VALID_NAME.test(name.toString("latin1"));
    if (!isValid) return "Failure_Namespace_Invalid_Name";
    return id === generateNamespaceId(name, parentId) ? undefined : "Failure_Namespace_Name_Id_Mismatch";
  });
  rules.stateless("rootNamespace", ({ duration }, { namespace }) => {
    const isInRange = duration >= namespace.minDuration && duration <= namespace.maxDuration;
    return duration !== 0n && !isInRange ? "Failure_Namespace_Invalid_Duration" : undefined;
  });

  rules.stateful("namespaceName", ({ id, parentId }, { height }) => {
    const isReserved = height > 1 && reservedIds.has(parentId === 0n ? id : parentId);
    return isReserved ? "Failure_Namespace_Root_Name_Reserved" : undefined;
  });
  rules.stateful("rootNamespace", ({ owner, id, duration }, { tables, height }) => {
    if (height > 1 && duration === 0n) return "Failure_Namespace_Eternal_After_Nemesis_Block";
    const root = tables.namespaces.rootOf(id);
    if (!root) return undefined;
    if (root.endHeight === ETERNAL_HEIGHT || duration === 0n) return "Failure_Namespace_Invalid_Duration";
    if (!isNamespaceActive(root, height)) return undefined;
    return root.ownerAddress.equals(owner) ? undefined : "Failure_Namespace_Owner_Conflict";
  });
  rules.stateful("rootNamespace", ({ id, duration }, { tables, height }) => {
    const root = tables.namespaces.rootOf(id);
    if (!root || !isNamespaceActive(root, height)) return undefined;
    const latestEnd = BigInt(height) + config.namespace.maxDuration + config.namespace.gracePeriodDuration;
    return root.endHeight + duration > latestEnd ? "Failure_Namespace_Invalid_Duration" : undefined;
  });
  rules.stateful("childNamespace", ({ owner, id, parentId }, context) => {
    const { namespaces } = context.tables;
    if (namespaces.pathOf(id)) return "Failure_Namespace_Already_Exists";
    const root = namespaces.rootOf(parentId);
    if (!root) return "Failure_Namespace_Unknown_Parent";
    if (namespaces.pathOf(parentId)?.length === config.namespace.maxDepth) return "Failure_Namespace_Too_Deep";
    return checkOwned(root, owner, context);
  });
  rules.stateful("childNamespace", ({ parentId }, { tables }) => {
    const root = tables.namespaces.rootOf(parentId);
    const count = root ? root.entries.length - 1 : 0;
    return count < config.namespace.maxChildNamespaces ? undefined : "Failure_Namespace_Max_Children_Exceeded";
  });

  rules.observe("rootNamespace", ({ owner, id, duration }, { tables, height }) => {
    const root = tables.namespaces.rootOf(id);
    const isRenewal = root && isNamespaceActive(root, height) && root.ownerAddress.equals(owner);
    if (isRenewal) tables.namespaces.setRoot(id, owner, root.startHeight, root.endHeight + duration);
    else tables.namespaces.setRoot(id, owner, height, endOf(height, duration));
  });
  rules.observe("childNamespace", ({ id, parentId }, { tables }) => tables.namespaces.addChild(id, parentId));

  function endOf(height: number, duration: bigint): bigint {
    return duration === 0n ? ETERNAL_HEIGHT : BigInt(height) + duration + config.namespace.gracePeriodDuration;
  }
}

/** The registering account pays; except the nemesis account, and for a root without an end. */
function publishRentalFee(
  { namespace, nemesisSignerPublicKey, currencyMosaicId }: NetworkConfig,
  rootDuration: bigint | undefined,
  { signerAddress, signerPublicKey, height }: PublishContext,
  notify: Notify,
): void {
  const recipient = addressAt(namespace.rentalFeeSink, height);
  notify({ kind: "accountAddress", address: recipient });
  if (signerPublicKey.equals(nemesisSignerPublicKey) || rootDuration === 0n) return;
  const amount = rootDuration === undefined ? namespace.childRentalFee : namespace.rootRentalFeePerBlock * rootDuration;
  const fee = { sender: signerAddress, recipient, mosaicId: currencyMosaicId, amount };
  notify({ kind: "balanceTransfer", ...fee, isDynamic: true });
  notify({ kind: "rentalFee", receiptType: RECEIPT_TYPE.namespace_rental_fee, ...fee });
}

function addAliasRules(rules: RuleBook): void {
  rules.stateless("aliasLink", ({ action }) => (action > LINK ? "Failure_Namespace_Alias_Invalid_Action" : undefined));
  rules.stateful("aliasLink", ({ namespaceId, action }, { tables }) => {
    if (!tables.namespaces.rootOf(namespaceId)) return "Failure_Namespace_Unknown";
    const isLinked = tables.namespaces.findAlias(namespaceId).kind !== "none";
    if (action === LINK) return isLinked ? "Failure_Namespace_Alias_Already_Exists" : undefined;
    return isLinked ? undefined : "Failure_Namespace_Unknown_Alias";
  });
  rules.stateful("aliasedAddress", ({ namespaceId, action, address }, { tables }) => {
    if (action === LINK) return undefined;
    const alias = tables.namespaces.findAlias(namespaceId);
    if (alias.kind !== "address") return "Failure_Namespace_Alias_Inconsistent_Unlink_Type";
    return alias.address.equals(address) ? undefined : "Failure_Namespace_Alias_Inconsistent_Unlink_Data";
  });
  rules.stateful("aliasedMosaic", ({ namespaceId, action, mosaicId }, { tables }) => {
    if (action === LINK) return undefined;
    const alias = tables.namespaces.findAlias(namespaceId);
    if (alias.kind !== "mosaic") return "Failure_Namespace_Alias_Inconsistent_Unlink_Type";
    return alias.mosaicId === mosaicId ? undefined : "Failure_Namespace_Alias_Inconsistent_Unlink_Data";
  });
  rules.stateful("aliasedAddress", ({ address }, { tables }) =>
    tables.accounts.get(address) ? undefined : "Failure_Namespace_Alias_Invalid_Address",
  );

  rules.observe("aliasedAddress", ({ namespaceId, action, address }, { tables }) => {
    const alias: NamespaceAlias = action === LINK ? { kind: "address", address } : NO_ALIAS;
    tables.namespaces.setAlias(namespaceId, alias);
  });
  rules.observe("aliasedMosaic", ({ namespaceId, action, mosaicId }, { tables }) => {
    const alias: NamespaceAlias = action === LINK ? { kind: "mosaic", mosaicId } : NO_ALIAS;
    tables.namespaces.setAlias(namespaceId, alias);
  });
}

/** Whether a namespace belongs to `owner` and its grace period has not begun. */
function checkOwned(root: RootNamespace, owner: Buffer, context: ValidationContext): FailureName | undefined {
  const { gracePeriodDuration } = context.config.namespace;
  const isUsable = context.height >= root.startHeight && BigInt(context.height) < root.endHeight - gracePeriodDuration;
  if (!isUsable) return "Failure_Namespace_Expired";
  return root.ownerAddress.equals(owner) ? undefined : "Failure_Namespace_Owner_Conflict";
}
