import type { InterfaceRef } from "@pothos/core";
import type { HashLockBody, LockFields, SecretLockBody } from "../../catapult/body/lock.js";
import type { Entry } from "../../database/lists/page.js";
import { bodyOf, entryFields } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { membersOf } from "../graph/members.js";

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
    ...entryFields(t, "Id of the entry in the list."),
    ...membersOf(t, lockOf, {
      ownerAddress: ["Address", "Address of the account that locked the amount."],
      mosaicId: ["ArtifactId", "Id of the locked mosaic."],
      amount: ["UInt64", "Locked amount in atomic units."],
      endHeight: ["SafeInt", "Height at which the lock expires, if it is not used before."],
      status: ["Int", "0 unused, 1 used."],
    }),
  }),
});
