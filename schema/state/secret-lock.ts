import type { Entry } from "../../database/lists/page.js";
import { findSecretLocks, searchSecretLocks } from "../../database/queries/secret-locks.js";
import { given } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { listArguments, pageType, readList, splitArguments } from "../graph/page.js";
import { addressIn, checkKeys, stateDb } from "../graph/state.js";
import { Lock, secretLockOf } from "./lock.js";

export const SecretLock = builder.objectRef<Entry>("SecretLock").implement({
  description: "What waits for the proof of a secret; used and expired ones are there until the node forgets them.",
  interfaces: [Lock],
  isTypeOf: () => true,
  fields: (t) => ({
    compositeHash: t.field({
      type: "Hash256",
      description: "Of secret and recipient.",
      resolve: (entry) => secretLockOf(entry).compositeHash,
    }),
    hashAlgorithm: t.int({
      description: "0 sha3-256, 1 ripemd-160 of sha-256, 2 sha-256 twice.",
      resolve: (entry) => secretLockOf(entry).hashAlgorithm,
    }),
    secret: t.field({
      type: "Hex",
      description: "32 bytes; shorter ones end in zeros.",
      resolve: (entry) => secretLockOf(entry).secret,
    }),
    recipientAddress: t.field({
      description: "Who gets it for the proof.",
      type: "Address",
      resolve: (entry) => addressIn(secretLockOf(entry).recipientAddress),
    }),
  }),
});

export const SecretLockPage = pageType("SecretLockPage", SecretLock);

builder.queryFields((t) => ({
  secretLocksByHashes: t.field({
    type: [SecretLock],
    description: "Secret locks by composite hashes, in the order asked; those that do not exist are left out.",
    args: { compositeHashes: t.arg({ description: "At most 1000.", type: ["Hash256"], required: true }) },
    resolve: async (_root, { compositeHashes }, context) => {
      checkKeys("compositeHashes", compositeHashes);
      return findSecretLocks(await stateDb(context), compositeHashes);
    },
  }),
  secretLocks: t.field({
    type: SecretLockPage,
    description: "Secret locks for which everything given holds, by the order in which they came.",
    args: {
      address: t.arg({ type: "Address", description: "Whose amount it was." }),
      secret: t.arg({ type: "Hash256", description: "32 bytes; shorter ones end in zeros." }),
      ...listArguments,
    },
    resolve: (_root, args, context) => {
      const { list, filter } = splitArguments(args);
      const { address: ownerAddress, secret } = given(filter);
      return readList(list, async (request) =>
        searchSecretLocks(await stateDb(context), { ownerAddress, secret }, request),
      );
    },
  }),
}));
