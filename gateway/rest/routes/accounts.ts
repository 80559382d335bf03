import { z } from "zod";
import { ADDRESS_SIZE } from "../../../catapult/entity/address.js";
import { parseEntityId } from "../../../catapult/json/entity-id.js";
import { ACCOUNT_BODY } from "../../../catapult/state/account.js";
import { invalidArgument, invalidContent } from "../../../schema/errors/errors.js";
import { parseUint64 } from "../../../schema/graph/formats.js";
import { MAX_LARGE_KEYS } from "../../../schema/graph/state.js";
import { optionalBodyList, path, query } from "../route/argument.js";
import { type ArgumentType, accountId, address, artifactId, publicKey, sortField } from "../route/argument-types.js";
import {
  allBodies,
  type BodyPage,
  bodyPage,
  oneBody,
  pageAnswer,
  pageArguments,
  pageOf,
  pageVariables,
} from "../route/page.js";
import { operationRoute, type Route } from "../route/route.js";
import { statePathRoute } from "../route/state.js";

const tag = "Accounts";
const AccountPage = pageOf("AccountPage", ACCOUNT_BODY.schema);
const accountIdPath = path(accountId, "Address or public key of the account.");

/** The text of an offset: its valid form depends on another argument. */
const idOrAmount: ArgumentType<string> = { schema: { type: "string" }, parse: (_name, text) => text };

/** Where pages start: an entry, or with orderBy=balance also an amount, which has fewer digits than an id. */
function toOffset(text: string | undefined, orderBy: "id" | "balance" | undefined) {
  if (text === undefined) return {};
  const offset = parseEntityId(text);
  if (offset) return { offset };
  const offsetBalance = orderBy === "balance" ? parseUint64(text) : undefined;
  if (offsetBalance !== undefined) return { offsetBalance };
  throw invalidContent("offset", "an id of 24 hex digits (or an amount together with orderBy=balance)");
}

const byIds = `query ($addresses: [Address!], $publicKeys: [PublicKey!]) {
  found: accountsByIds(addresses: $addresses, publicKeys: $publicKeys) { body }
}`;

export const accountRoutes: readonly Route[] = [
  operationRoute(
    {
      method: "GET",
      path: "/accounts",
      operationId: "searchAccounts",
      tag,
      summary: "Accounts that match all given conditions.",
      arguments: {
        address: query(address, "The account with this address."),
        mosaicId: query(artifactId, "Accounts that own some of this mosaic."),
        ...pageArguments,
        offset: query(
          idOrAmount,
          "Id of an account (with orderBy=balance also an amount): pages start after it, in the requested order.",
        ),
        orderBy: query(
          sortField(["id", "balance"]),
          "What the list is sorted by; balance is that of mosaicId, which is then required.",
        ),
      },
      result: AccountPage,
    },
    {
      operation: `query (
        $address: Address, $mosaicId: ArtifactId, $orderBy: AccountOrder, $offsetBalance: UInt64, $page: PageInput
      ) {
        page: accounts(
          address: $address, mosaicId: $mosaicId, orderBy: $orderBy, offsetBalance: $offsetBalance, page: $page
        ) ${bodyPage}
      }`,
      followsChain: true,
      referenceCheck: ({ orderBy, mosaicId }) =>
        orderBy === "balance" && mosaicId === undefined
          ? "mosaicId must be provided when sorting by balance"
          : undefined,
      variables: ({ offset, orderBy, ...values }, behaviour) => {
        const { offset: id, offsetBalance } = toOffset(offset, orderBy);
        return { ...pageVariables({ ...values, offset: id }, behaviour), orderBy, offsetBalance };
      },
      answer: (data: BodyPage) => pageAnswer(data),
    },
  ),
  operationRoute(
    {
      method: "GET",
      path: "/accounts/{accountId}",
      operationId: "getAccountInfo",
      tag,
      summary: "An account.",
      arguments: { accountId: accountIdPath },
      result: ACCOUNT_BODY.schema,
      canMiss: true,
    },
    {
      operation: byIds,
      followsChain: true,
      variables: ({ accountId: id }) => (id.length === ADDRESS_SIZE ? { addresses: [id] } : { publicKeys: [id] }),
      answer: oneBody,
    },
  ),
  operationRoute(
    {
      method: "POST",
      path: "/accounts",
      operationId: "getAccountsInfo",
      tag,
      summary:
        "Accounts by addresses or public keys, in the order of the request, each once; missing ones are omitted.",
      arguments: {
        addresses: optionalBodyList(address, "Addresses. Not together with publicKeys.", MAX_LARGE_KEYS),
        publicKeys: optionalBodyList(publicKey, "Public keys. Not together with addresses.", MAX_LARGE_KEYS),
      },
      result: z.array(ACCOUNT_BODY.schema),
    },
    {
      operation: byIds,
      followsChain: false,
      referenceCheck: ({ addresses, publicKeys }) => {
        if (addresses && publicKeys) return "publicKeys and addresses cannot both be provided";
        return addresses || publicKeys ? undefined : "element in array addresses has an invalid format";
      },
      variables: ({ addresses, publicKeys }) => {
        if (addresses && publicKeys) throw invalidArgument("addresses must not be given together with publicKeys");
        if (!addresses && !publicKeys) throw invalidArgument("addresses or publicKeys is missing in the body");
        return { addresses, publicKeys };
      },
      answer: allBodies,
    },
  ),
  statePathRoute(
    { path: "/accounts/{accountId}/merkle", operationId: "getAccountInfoMerkle", tag },
    { arguments: { accountId: accountIdPath }, kind: "account", key: (values) => values.accountId },
  ),
];
