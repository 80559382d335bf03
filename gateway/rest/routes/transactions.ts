import { z } from "zod";
import { ID_BYTES } from "../../../catapult/json/entity-id.js";
import { AnyTransactionInfo } from "../../../catapult/structs/transaction.js";
import { MAX_IDENTIFIERS } from "../../../schema/chain/transaction-filter.js";
import { invalidArgument } from "../../../schema/errors/errors.js";
import { pageSizes } from "../../../schema/graph/page.js";
import { JsonText } from "../../../schema/graph/scalars.js";
import { addedQuery, optionalBodyList, path, query } from "../route/argument.js";
import {
  address,
  amount,
  artifactId,
  boolean,
  entityType,
  hash,
  height,
  isoTime,
  oneOf,
  publicKey,
  transactionId,
} from "../route/argument-types.js";
import { addedFieldArguments, fieldArguments } from "../route/field-arguments.js";
import {
  type BodyPage,
  joinBodies,
  oneBody,
  PAGE_DESCRIPTION,
  type PageArgumentValues,
  pageAnswer,
  pageArguments,
  pageOf,
  pageVariables,
  type WithBody,
} from "../route/page.js";
import { type AskInParts, operationRoute, type Route } from "../route/route.js";
import { areMany, type FoundTransaction, lookedUpInParts, orderAsNamed, searchedInParts } from "./transaction-parts.js";

const tag = "Transactions";
const TransactionPage = pageOf("TransactionPage", AnyTransactionInfo);

/** Arguments that narrow a list of transactions. */
export const filterArguments = fieldArguments("transactions", {
  address,
  recipientAddress: address,
  signerPublicKey: publicKey,
  height,
  fromHeight: height,
  toHeight: height,
  fromTransferAmount: amount,
  toTransferAmount: amount,
  type: entityType,
  embedded: boolean,
  transferMosaicId: artifactId,
});

/** Of confirmed transactions alone: blocks have times, and what aliases point to. */
const confirmedArguments = {
  ...addedFieldArguments("transactions", { fromTime: isoTime, toTime: isoTime }),
  resolved: addedQuery(
    boolean,
    "Adds `meta.resolved`: accounts and mosaics in place of the namespaces that the transaction names. Not together with include.",
  ),
};

const searchArguments = {
  ...filterArguments,
  include: query(oneOf(["transactions"]), "Includes embedded transactions in aggregates."),
  ...pageArguments,
};

/** Variables of `filterArguments`, as operations declare and pass them. */
export const declaredFilter = `
  $address: Address, $recipientAddress: Address, $signerPublicKey: PublicKey,
  $height: SafeInt, $fromHeight: SafeInt, $toHeight: SafeInt,
  $fromTransferAmount: UInt64, $toTransferAmount: UInt64, $transferMosaicId: ArtifactId,
  $asWritten: Boolean, $type: [Int!], $embedded: Boolean`;
export const passedFilter = `
  address: $address, recipientAddress: $recipientAddress, signerPublicKey: $signerPublicKey,
  height: $height, fromHeight: $fromHeight, toHeight: $toHeight,
  fromTransferAmount: $fromTransferAmount, toTransferAmount: $toTransferAmount,
  transferMosaicId: $transferMosaicId, asWritten: $asWritten, type: $type, embedded: $embedded`;
const declaredSearch = `${declaredFilter}, $page: PageInput, $joined: Boolean!, $whole: Boolean!`;
const passedSearch = `${passedFilter}, page: $page`;
const selectedPage = (isConfirmed: boolean) => `{
  body @include(if: $joined)
  data @skip(if: $joined) { id type body(embedded: $whole${isConfirmed ? ", resolved: $resolved" : ""}) }
  pagination { pageNumber pageSize totalEntries totalPages }
}`;

interface SearchedPage {
  /** Bodies one by one, where they are not those of all lists. */
  readonly page: BodyPage["page"] & { readonly data?: readonly WithBody[] };
}

interface FoundTransactions {
  readonly found: readonly FoundTransaction[];
}

/** The fields of a group of transactions in the schema. */
interface Group {
  readonly name: "confirmed" | "unconfirmed" | "partial";
  readonly summary: string;
  /** Fields of the query, with the argument for the group. */
  readonly search: (args: string) => string;
  readonly isConfirmed: boolean;
  readonly byIds: string;
}

const groups: readonly Group[] = [
  {
    name: "confirmed",
    summary: "Confirmed transactions",
    search: (args) => `transactions(${args}, fromTime: $fromTime, toTime: $toTime)`,
    isConfirmed: true,
    byIds: "transactionsByIds(ids: $ids, hashes: $hashes)",
  },
  {
    name: "unconfirmed",
    summary: "Unconfirmed transactions",
    search: (args) => `pendingTransactions(group: unconfirmed, ${args})`,
    isConfirmed: false,
    byIds: "pendingTransactionsByIds(group: unconfirmed, ids: $ids, hashes: $hashes)",
  },
  {
    name: "partial",
    summary: "Partial bonded aggregates",
    search: (args) => `pendingTransactions(group: partial, ${args})`,
    isConfirmed: false,
    byIds: "pendingTransactionsByIds(group: partial, ids: $ids, hashes: $hashes)",
  },
];

interface NamedTransactions {
  readonly transactionIds?: readonly Buffer[] | undefined;
  readonly hashes?: readonly Buffer[] | undefined;
}

/** The ids and hashes of a body, in their order; undefined if it has neither list. */
function namedIn({ transactionIds, hashes }: NamedTransactions): readonly Buffer[] | undefined {
  return transactionIds || hashes ? [...(transactionIds ?? []), ...(hashes ?? [])] : undefined;
}

/** How catapult-rest rejects filters that exclude each other. */
export function checkSearch(values: Readonly<Record<string, unknown>>): string | undefined {
  if (values.address && (values.signerPublicKey || values.recipientAddress)) {
    return "can't filter by address if signerPublicKey or recipientAddress are already provided";
  }
  const hasBounds = values.fromTransferAmount !== undefined || values.toTransferAmount !== undefined;
  return hasBounds && values.transferMosaicId === undefined
    ? "can't filter by transfer amount if `transferMosaicId` is not provided"
    : undefined;
}

/** Ids and hashes differ in length. */
function idVariables(given: readonly Buffer[]) {
  return {
    ids: given.filter(({ length }) => length === ID_BYTES),
    hashes: given.filter(({ length }) => length !== ID_BYTES),
  };
}

function idOf(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}Transaction`;
}

/** The operation that finds transactions of a group by their ids and hashes. */
function lookUp({ byIds }: Group, fields: string): string {
  return `query ($ids: [EntityId!], $hashes: [Hash256!]) { found: ${byIds} { ${fields} } }`;
}

function findWhole(group: Group, ask: AskInParts) {
  return async (names: readonly Buffer[]): Promise<readonly FoundTransaction[]> => {
    const data = await ask.other(lookUp(group, "id hash body(embedded: true)"), idVariables(names));
    return (data as unknown as FoundTransactions).found;
  };
}

function searchRoute(group: Group): Route {
  const { name, summary, search, isConfirmed } = group;
  return operationRoute(
    {
      method: "GET",
      path: `/transactions/${name}`,
      operationId: `search${idOf(name)}s`,
      tag,
      summary: `${summary} that match all given conditions.`,
      ...(isConfirmed && { description: PAGE_DESCRIPTION }),
      arguments: { ...searchArguments, ...(isConfirmed && confirmedArguments) },
      result: TransactionPage,
    },
    {
      operation: `query (${declaredSearch}${isConfirmed ? ", $fromTime: Time, $toTime: Time, $resolved: Boolean!" : ""}) {
        page: ${search(passedSearch)} ${selectedPage(isConfirmed)}
      }`,
      followsChain: isConfirmed,
      referenceCheck: checkSearch,
      variables: ({ include, resolved = false, ...values }, behaviour) => {
        if (resolved && include !== undefined) {
          throw invalidArgument("resolved must not be given together with include: embedded=true lists what is inside");
        }
        return {
          ...pageVariables(values as PageArgumentValues, behaviour),
          joined: include === undefined && !resolved,
          whole: include !== undefined,
          asWritten: behaviour.findsWrittenMosaicsOnly,
          ...(isConfirmed && { resolved }),
        };
      },
      inParts: ({ include, pageSize = pageSizes.default }) =>
        include === undefined || !areMany(pageSize) ? undefined : (ask) => searchedInParts(ask, findWhole(group, ask)),
      answer: ({ page: { data, ...page } }: SearchedPage) =>
        pageAnswer({ page: data ? { ...page, body: new JsonText(joinBodies(data)) } : page }),
    },
  );
}

function oneRoute(group: Group): Route {
  const { name, summary, isConfirmed } = group;
  return operationRoute(
    {
      method: "GET",
      path: `/transactions/${name}/{transactionId}`,
      operationId: `get${idOf(name)}`,
      tag,
      summary: `${summary}: one, by id or hash; aggregates with embedded transactions.`,
      arguments: { transactionId: path(transactionId, "Id or hash of the transaction.") },
      result: AnyTransactionInfo,
      canMiss: true,
    },
    {
      operation: lookUp(group, "body(embedded: true)"),
      followsChain: isConfirmed,
      variables: (values) => idVariables([values.transactionId]),
      answer: oneBody,
    },
  );
}

function manyRoute(group: Group): Route {
  const { name, summary } = group;
  return operationRoute(
    {
      method: "POST",
      path: `/transactions/${name}`,
      operationId: `get${idOf(name)}s`,
      tag,
      summary: `${summary}, by ids and hashes, in the order of the request; missing ones are omitted.`,
      arguments: {
        transactionIds: optionalBodyList(transactionId, "Ids and hashes.", MAX_IDENTIFIERS),
        hashes: optionalBodyList(hash, "Hashes, in place of transactionIds or after them.", MAX_IDENTIFIERS),
      },
      result: z.array(AnyTransactionInfo),
    },
    {
      operation: lookUp(group, "id hash body(embedded: true)"),
      followsChain: false,
      referenceCheck: (values) => (namedIn(values) ? undefined : "either ids or hashes must be provided"),
      variables: (values) => {
        const named = namedIn(values);
        if (!named) throw invalidArgument("transactionIds or hashes is missing in the body");
        return idVariables(named);
      },
      inParts: (values) => {
        const named = namedIn(values) ?? [];
        return areMany(named.length) ? (ask) => lookedUpInParts(named, findWhole(group, ask)) : undefined;
      },
      answer: ({ found }: FoundTransactions, values) => ({
        body: joinBodies([...new Set(orderAsNamed(namedIn(values) ?? [], found))]),
      }),
    },
  );
}

export const transactionRoutes: readonly Route[] = groups.flatMap((group) => [
  searchRoute(group),
  oneRoute(group),
  manyRoute(group),
]);
