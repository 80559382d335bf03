import type { Entry } from "../../database/lists/page.js";
import { hashLocks } from "../../database/queries/state-nouns.js";
import { builder } from "../graph/builder.js";
import { listArguments, pageType, searchList } from "../graph/page.js";
import { checkKeys, stateDb } from "../graph/state.js";
import { hashLockOf, Lock } from "./lock.js";

export const HashLock = builder.objectRef<Entry>("HashLock").implement({
  description: "A deposit for a bonded aggregate; used and expired ones remain until the node deletes them.",
  interfaces: [Lock],
  isTypeOf: () => true,
  fields: (t) => ({
    hash: t.field({
      type: "Hash256",
      description: "Hash of the aggregate.",
      resolve: (entry) => hashLockOf(entry).hash,
    }),
  }),
});

export const HashLockPage = pageType("HashLockPage", HashLock);

builder.queryFields((t) => ({
  hashLocksByHashes: t.field({
    type: [HashLock],
    description: "Hash locks by the hashes of their aggregates, in the order of the request; missing ones are omitted.",
    args: { hashes: t.arg({ description: "Hashes of aggregates, at most 1000.", type: ["Hash256"], required: true }) },
    resolve: async (_root, { hashes }, context) => {
      checkKeys("hashes", hashes);
      return hashLocks.find(await stateDb(context), hashes);
    },
  }),
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
}));
