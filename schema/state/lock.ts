import type { InterfaceRef } from "@pothos/core";
import { HASH_LOCK_BODY, LOCK_DESCRIBED, SECRET_LOCK_BODY } from "../../catapult/state/lock.js";
import type { Entry } from "../../database/lists/page.js";
import { hashLocks, secretLocks } from "../../database/queries/state-lists.js";
import { entryFields, hashLockOf, secretLockOf } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { accountField, hashTransactionField, mosaicField } from "../graph/loaders.js";
import { declaredFields } from "../graph/members.js";
import { stateQueries } from "../graph/state.js";
import { HashLock, HashLockPage, SecretLock, SecretLockPage } from "../graph/types.js";

/** Common fields of hash locks and secret locks. */
const Lock: InterfaceRef<SchemaTypes, Entry> = builder.interfaceRef<Entry>("Lock").implement({
  description: "A locked amount, until it is released.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
    ...declaredFields(t, hashLockOf, [LOCK_DESCRIBED]),
  }),
});

HashLock.implement({
  description: "A deposit for a bonded aggregate; used and expired ones remain until the node deletes them.",
  interfaces: [Lock],
  isTypeOf: () => true,
  fields: (t) => ({
    ...declaredFields(t, hashLockOf, [HASH_LOCK_BODY.described]),
    mosaic: mosaicField(t, "The locked mosaic.", (entry) => hashLockOf(entry).mosaicId),
    owner: accountField(t, "Account that locked the amount.", (entry) => hashLockOf(entry).ownerAddress),
    aggregate: hashTransactionField(
      t,
      "Aggregate of the lock, once it is in a block.",
      (entry) => hashLockOf(entry).hash,
    ),
  }),
});

SecretLock.implement({
  description: "An amount locked until a secret is proven; used and expired ones remain until the node deletes them.",
  interfaces: [Lock],
  isTypeOf: () => true,
  fields: (t) => ({
    ...declaredFields(t, secretLockOf, [SECRET_LOCK_BODY.described]),
    mosaic: mosaicField(t, "The locked mosaic.", (entry) => secretLockOf(entry).mosaicId),
    owner: accountField(t, "Account that locked the amount.", (entry) => secretLockOf(entry).ownerAddress),
    recipient: accountField(
      t,
      "Account that receives the amount for the proof.",
      (entry) => secretLockOf(entry).recipientAddress,
    ),
  }),
});

stateQueries(hashLocks, HashLock, HashLockPage);
stateQueries(secretLocks, SecretLock, SecretLockPage);
