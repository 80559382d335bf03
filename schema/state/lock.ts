import type { InterfaceRef } from "@pothos/core";
import type { HashLockBody, LockFields, SecretLockBody } from "../../catapult/body/lock.js";
import type { Entry } from "../../database/lists/page.js";
import { bodyOf } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { addressIn } from "../graph/state.js";

/** The lock in the REST body of an entry of either kind. */
const lockOf = (entry: Entry): LockFields => bodyOf<HashLockBody | SecretLockBody>(entry).lock;
/** The lock in the REST body of a hash lock. */
export const hashLockOf = (entry: Entry) => bodyOf<HashLockBody>(entry).lock;
/** The lock in the REST body of a secret lock. */
export const secretLockOf = (entry: Entry) => bodyOf<SecretLockBody>(entry).lock;

/** Common fields of hash locks and secret locks. */
export const Lock: InterfaceRef<SchemaTypes, Entry> = builder.interfaceRef<Entry>("Lock").implement({
  description: "A locked amount, until it is released.",
  fields: (t) => ({
    id: t.expose("id", { description: "Id of the entry in the list.", type: "EntityId" }),
    ownerAddress: t.field({
      type: "Address",
      description: "Address of the account that locked the amount.",
      resolve: (entry) => addressIn(lockOf(entry).ownerAddress),
    }),
    mosaicId: t.field({
      description: "Id of the locked mosaic.",
      type: "ArtifactId",
      resolve: (entry) => lockOf(entry).mosaicId,
    }),
    amount: t.field({
      type: "UInt64",
      description: "Locked amount in atomic units.",
      resolve: (entry) => lockOf(entry).amount,
    }),
    endHeight: t.field({
      type: "SafeInt",
      description: "Height at which the lock expires, if it is not used before.",
      resolve: (entry) => Number(lockOf(entry).endHeight),
    }),
    status: t.int({ description: "0 unused, 1 used.", resolve: (entry) => lockOf(entry).status }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("body", { description: "The REST body as JSON text." }),
  }),
});
