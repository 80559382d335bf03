import type { InterfaceRef } from "@pothos/core";
import { HASH_LOCK_BODY, LOCK_DESCRIBED, SECRET_LOCK_BODY } from "../../catapult/state/lock.js";
import type { Entry } from "../../database/lists/page.js";
import { hashLocks, secretLocks } from "../../database/queries/state-nouns.js";
import { entryFields, hashLockOf, secretLockOf } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { accountField, hashTransactionField, mosaicField } from "../graph/joins.js";
import { declaredFields } from "../graph/members.js";
import { listArguments, searchList } from "../graph/page.js";
import { queryByKeys, stateDb } from "../graph/state.js";
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

queryByKeys(
  "hashLocksByHashes",
  HashLock,
  "Hash locks by the hashes of their aggregates, in the order of the request; missing ones are omitted.",
  ["hashes", "Hash256", "Hashes of aggregates"],
  hashLocks,
);
queryByKeys(
  "secretLocksByHashes",
  SecretLock,
  "Secret locks by composite hashes, in the order of the request; missing ones are omitted.",
  ["compositeHashes", "Hash256", "Composite hashes"],
  secretLocks,
);

builder.queryFields((t) => ({
  hashLocks: t.field({
    type: HashLockPage,
    description: "Hash locks in the order in which the index first saw them.",
    args: {
      address: t.arg({ type: "Address", description: "Address of the account that locked the amount." }),
      ...listArguments,
    },
    resolve: (_root, { address: ownerAddress, ...args }, context) =>
      searchList(hashLocks.search, { ...args, ownerAddress }, () => stateDb(context)),
  }),
  secretLocks: t.field({
    type: SecretLockPage,
    description: "Secret locks that match all given conditions, in the order in which the index first saw them.",
    args: {
      address: t.arg({ type: "Address", description: "Address of the account that locked the amount." }),
      secret: t.arg({ type: "Hash256", description: "Secret, 32 bytes; shorter ones are padded with zeros." }),
      ...listArguments,
    },
    resolve: (_root, { address: ownerAddress, ...args }, context) =>
      searchList(secretLocks.search, { ...args, ownerAddress }, () => stateDb(context)),
  }),
}));
