import type { Entry } from "../../database/lists/page.js";
import { secretLocks } from "../../database/queries/state-nouns.js";
import { builder } from "../graph/builder.js";
import { membersOf } from "../graph/members.js";
import { listArguments, pageType, searchList } from "../graph/page.js";
import { checkKeys, stateDb } from "../graph/state.js";
import { Lock, secretLockOf } from "./lock.js";

export const SecretLock = builder.objectRef<Entry>("SecretLock").implement({
  description: "An amount locked until a secret is proven; used and expired ones remain until the node deletes them.",
  interfaces: [Lock],
  isTypeOf: () => true,
  fields: (t) =>
    membersOf(t, secretLockOf, {
      compositeHash: ["Hash256", "Composite hash of secret and recipient."],
      hashAlgorithm: ["Int", "Hash algorithm: 0 sha3-256, 1 ripemd-160 of sha-256, 2 sha-256 twice."],
      secret: ["Hex", "Secret, 32 bytes; shorter ones are padded with zeros."],
      recipientAddress: ["Address", "Address of the account that receives the amount for the proof."],
    }),
});

export const SecretLockPage = pageType("SecretLockPage", SecretLock);

builder.queryFields((t) => ({
  secretLocksByHashes: t.field({
    type: [SecretLock],
    description: "Secret locks by composite hashes, in the order of the request; missing ones are omitted.",
    args: {
      compositeHashes: t.arg({ description: "Composite hashes, at most 1000.", type: ["Hash256"], required: true }),
    },
    resolve: async (_root, { compositeHashes }, context) => {
      checkKeys("compositeHashes", compositeHashes);
      return secretLocks.find(await stateDb(context), compositeHashes);
    },
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
