import { addressOfPublicKey } from "../entity/address.js";
import { generateMosaicId, generateNamespaceId } from "../entity/generated-id.js";
import type { Body, EntityHeader } from "../entity/transaction-entity.js";
import { type AnnouncementError, impossible } from "./announcement-error.js";
import type { EntityCheck } from "./entity-check.js";

/** All flags of a mosaic combined. */
const ALL_MOSAIC_FLAGS = 0xf;
const ROOT = 0;
const NAME = /^[a-z0-9][a-z0-9_-]*$/;

/** Source: `plugins/txes/mosaic/src/validators`; checks that depend on an earlier definition are omitted. */
export function mosaicDefinition(
  tx: EntityHeader & Body<"mosaic_definition">,
  { path, rules: { mosaic }, network }: EntityCheck,
): AnnouncementError | undefined {
  const { id, duration, flags } = tx;
  if (id === 0n) return impossible(`${path}.id`, "is 0", "Failure_Mosaic_Invalid_Id");
  const owner = addressOfPublicKey(tx.signerPublicKey, network.identifier);
  if (id !== generateMosaicId(owner, tx.nonce))
    return impossible(`${path}.id`, "does not match the signer and the nonce", "Failure_Mosaic_Id_Mismatch");
  if (flags > ALL_MOSAIC_FLAGS) return impossible(`${path}.flags`, `are ${flags}`, "Failure_Mosaic_Invalid_Flags");
  if (duration > mosaic.maxDuration) {
    const problem = `is ${duration} blocks, the maximum is ${mosaic.maxDuration}`;
    return impossible(`${path}.duration`, problem, "Failure_Mosaic_Invalid_Duration");
  }
  return undefined;
}

/** Source: `MosaicSupplyChangeValidator`. */
export function mosaicSupplyChange(
  tx: Body<"mosaic_supply_change">,
  { path }: EntityCheck,
): AnnouncementError | undefined {
  const isNothing = tx.delta === 0n;
  return isNothing ? impossible(`${path}.delta`, "is 0", "Failure_Mosaic_Invalid_Supply_Change_Amount") : undefined;
}

/** Source: `plugins/txes/namespace/src/validators`. */
export function namespaceRegistration(
  tx: Body<"namespace_registration">,
  { path, rules: { namespace } }: EntityCheck,
): AnnouncementError | undefined {
  const name = tx.name.toString("latin1");
  const { maxNameSize, minDuration, maxDuration, reservedNames } = namespace;
  const isRoot = tx.registrationType === ROOT;
  if (name.length > maxNameSize || !NAME.test(name)) {
    const problem = `must be 1 to ${maxNameSize} of a-z, 0-9, - and _, and not begin with the last two`;
    return impossible(`${path}.name`, problem, "Failure_Namespace_Invalid_Name");
  }
  const parentId = isRoot ? 0n : tx.durationOrParentId;
  if (tx.id !== generateNamespaceId(name, parentId))
    return impossible(`${path}.id`, "does not match the name and the parent", "Failure_Namespace_Name_Id_Mismatch");
  const root = isRoot ? tx.id : parentId;
  if ([...reservedNames].some((reserved) => generateNamespaceId(reserved) === root))
    return impossible(`${path}.name`, "is reserved or below a reserved name", "Failure_Namespace_Root_Name_Reserved");
  const duration = tx.durationOrParentId;
  if (!isRoot || (duration >= minDuration && duration <= maxDuration)) return undefined;
  if (duration === 0n) {
    const code = "Failure_Namespace_Eternal_After_Nemesis_Block";
    return impossible(`${path}.duration`, "is 0, which is allowed in the nemesis block only", code);
  }
  const problem = `is ${duration} blocks, not from ${minDuration} to ${maxDuration}`;
  return impossible(`${path}.duration`, problem, "Failure_Namespace_Invalid_Duration");
}
