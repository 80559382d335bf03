import type { GraphQLSchema } from "graphql";
import type { Services } from "../../schema/graph/context.js";
import { compileOperation, type Operation } from "../graphql/operation.js";
import type { Argument } from "./routes/argument.js";
import type { Route } from "./routes/route.js";

/** Values of arguments: by `<operation id>.<name>`, or by name where it means the same in all operations. */
export type Examples = Readonly<Record<string, string | number | undefined>>;

/** A list of the chain, and the arguments that its newest entry is an example of. */
interface Sample {
  readonly query: string;
  /** Of the first entry. */
  readonly read: (entry: Readonly<Record<string, string | number>>) => Examples;
}

const list = (name: string, fields: string, condition = "") =>
  `{ ${name}(first: 1${condition}) { data { ${fields} } } }`;

const samples: readonly Sample[] = [
  {
    query: list("blocks", "height"),
    // The newest block is not final yet; the first one is.
    read: ({ height }) => ({
      height: String(height),
      "getFinalizationProofAtEpoch.epoch": 1,
      "getFinalizationProofAtHeight.height": "1",
    }),
  },
  {
    query: list("transactions", "hash height"),
    read: ({ hash, height }) => ({
      "getMerkleTransaction.height": String(height),
      "getMerkleTransaction.hash": String(hash),
      "getConfirmedTransaction.transactionId": String(hash),
      "getConfirmedTransactions.transactionIds": String(hash),
      "getTransactionStatus.hash": String(hash),
      "getTransactionStatuses.hashes": String(hash),
    }),
  },
  {
    query: list("accounts", "address"),
    read: ({ address }) => ({
      accountId: String(address),
      addresses: String(address),
      "searchAccountHashLocks.address": String(address),
      "searchAccountSecretLocks.address": String(address),
    }),
  },
  {
    query: list("mosaics", "mosaicId"),
    read: ({ mosaicId }) => ({ mosaicId: String(mosaicId), mosaicIds: String(mosaicId) }),
  },
  {
    query: list("namespaces", "namespaceId", ", registrationType: 0"),
    read: ({ namespaceId }) => ({ namespaceId: String(namespaceId), namespaceIds: String(namespaceId) }),
  },
  {
    query: list("metadata", "compositeHash"),
    read: ({ compositeHash }) => composite(compositeHash, "getMetadata", "getMetadataMerkle", "getMetadataEntries"),
  },
  {
    query: list("hashLocks", "hash"),
    read: ({ hash }) => ({
      "getHashLock.hash": String(hash),
      "getHashLockMerkle.hash": String(hash),
      "getHashLocks.hashes": String(hash),
    }),
  },
  {
    query: list("secretLocks", "compositeHash"),
    read: ({ compositeHash }) => composite(compositeHash, "getSecretLock", "getSecretLockMerkle", "getSecretLocks"),
  },
  {
    query: list("mosaicRestrictions", "compositeHash"),
    read: ({ compositeHash }) =>
      composite(compositeHash, "getMosaicRestrictions", "getMosaicRestrictionsMerkle", "getMosaicRestrictionsBatch"),
  },
  {
    query: list("accountRestrictions", "address"),
    read: ({ address }) => ({
      "getAccountRestrictions.address": String(address),
      "getAccountRestrictionsMerkle.address": String(address),
      "getAccountRestrictionsBatch.addresses": String(address),
    }),
  },
];

function composite(hash: unknown, one: string, merkle: string, several: string): Examples {
  const text = String(hash);
  return {
    [`${one}.compositeHash`]: text,
    [`${merkle}.compositeHash`]: text,
    [`${several}.compositeHashes`]: text,
  };
}

/** Reads examples from the indexed chain; what it does not contain, or cannot be read now, has none. */
export class ExampleReader {
  readonly #services: Services;
  readonly #samples: readonly { readonly operation: Operation; readonly read: Sample["read"] }[];

  /** @throws Error when the schema lacks one of the lists */
  constructor(schema: GraphQLSchema, services: Services) {
    this.#services = services;
    this.#samples = samples.map(({ query, read }) => ({ operation: compileOperation(schema, query), read }));
  }

  async read(): Promise<Examples> {
    const found = await Promise.all(
      this.#samples.map(async ({ operation, read }) => {
        const page = await operation(this.#services, {}).catch(() => ({}));
        const [entry] = (Object.values(page)[0] as { data: Record<string, string | number>[] } | undefined)?.data ?? [];
        return entry ? read(entry) : {};
      }),
    );
    return Object.assign({}, ...found);
  }
}

/** The example of an argument: what a request needs to find something, so none of optional conditions. */
export function exampleOf(
  { operationId }: Route,
  name: string,
  { place, list: isList }: Argument<unknown>,
  examples: Examples,
): string | number | readonly (string | number)[] | undefined {
  if (place !== "path" && place !== "body") return undefined;
  const own = examples[`${operationId}.${name}`] ?? (SHARED.has(name) ? examples[name] : undefined);
  return own !== undefined && isList ? [own] : own;
}

/** Arguments that mean the same in all operations. */
const SHARED: ReadonlySet<string> = new Set([
  "height",
  "accountId",
  "addresses",
  "mosaicId",
  "mosaicIds",
  "namespaceId",
  "namespaceIds",
]);
