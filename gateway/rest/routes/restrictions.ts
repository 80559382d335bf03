import { ACCOUNT_RESTRICTIONS_BODY } from "../../../catapult/state/account-restriction.js";
import { MOSAIC_RESTRICTION_BODY } from "../../../catapult/state/mosaic-restriction.js";
import { MAX_LARGE_KEYS } from "../../../schema/graph/state.js";
import { query } from "../route/argument.js";
import { address, artifactId, hash, kindNumber } from "../route/argument-types.js";
import { pageOf } from "../route/page.js";
import type { Route } from "../route/route.js";
import { stateRoutes } from "../route/state.js";

const tag = "Restrictions";
const MOSAIC_RULES = 1;
const addressDescription = "Address of the account.";

export const restrictionRoutes: readonly Route[] = [
  ...stateRoutes({
    tag,
    path: "/restrictions/account",
    kind: "accountRestriction",
    result: ACCOUNT_RESTRICTIONS_BODY.schema,
    page: pageOf("AccountRestrictionsPage", ACCOUNT_RESTRICTIONS_BODY.schema),
    field: "accountRestrictions",
    search: ["searchAccountRestrictions", "Account restrictions in the order in which the index first saw them."],
    arguments: { address: query(address, addressDescription) },
    type: address,
    key: ["address", addressDescription],
    keys: ["addresses", "Addresses of accounts."],
    maxKeys: MAX_LARGE_KEYS,
    found: "accountRestrictionsByAddresses(addresses: $keys)",
    get: ["getAccountRestrictions", "Restrictions of an account."],
    post: ["getAccountRestrictionsBatch", "Restrictions of accounts."],
    merkle: "getAccountRestrictionsMerkle",
  }),
  ...stateRoutes({
    tag,
    path: "/restrictions/mosaic",
    kind: "mosaicRestriction",
    result: MOSAIC_RESTRICTION_BODY.schema,
    page: pageOf("MosaicRestrictionsPage", MOSAIC_RESTRICTION_BODY.schema),
    field: "mosaicRestrictions",
    search: ["searchMosaicRestrictions", "Rules of mosaics and values of accounts that match all given conditions."],
    arguments: {
      mosaicId: query(artifactId, "Id of the mosaic."),
      entryType: query(kindNumber(MOSAIC_RULES), "0 accounts' values, 1 mosaics' rules."),
      targetAddress: query(address, "Address of the account with the values."),
    },
    type: hash,
    key: ["compositeHash", "Hash of mosaic and account (zeros for the mosaic's rules)."],
    keys: ["compositeHashes", "Hashes of mosaic and account."],
    found: "mosaicRestrictionsByHashes(compositeHashes: $keys)",
    get: ["getMosaicRestrictions", "The rules of a mosaic, or the values of an account."],
    post: ["getMosaicRestrictionsBatch", "Mosaic restrictions by composite hashes."],
    merkle: "getMosaicRestrictionsMerkle",
  }),
];
