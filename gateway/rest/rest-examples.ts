import type { GraphQLSchema } from "graphql";
import { ADDRESS_SIZE, addressOfPublicKey } from "../../catapult/entity/address.js";
import { TRANSACTION, TRANSACTION_TYPE, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { hex } from "../../catapult/entity/hex.js";
import type { Services } from "../../schema/graph/context.js";
import { compileOperation, type Operation } from "../graphql/operation.js";
import type { Argument } from "./route/argument.js";
import type { Route } from "./route/route.js";

/** Numbers of bytes of the message and of mosaics, and reserved bytes. */
const TRANSFER_COUNTS = 8;
const EXAMPLE_FEE = 100;
const EXAMPLE_LIFETIME_MS = 3_600_000;

/** Values of arguments: by `<operation id>.<name>`, or by name where it means the same in all operations. */
export type Examples = Readonly<Record<string, string | number | boolean | undefined>>;

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
    query: list("blocks", "height timestamp network signerPublicKey"),
    // The newest block is not final yet; the first one is.
    read: ({ height, timestamp, network, signerPublicKey }) => ({
      height: String(height),
      "simulateTransactions.payload": transferToItself(String(signerPublicKey), Number(network), Number(timestamp)),
      "simulateTransactions.unsigned": true,
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

/** Hex digits of an unsigned transfer of nothing from an account to itself, soon after `timestamp`. */
function transferToItself(publicKey: string, network: number, timestamp: number): string {
  const bytes = Buffer.alloc(TRANSACTION.headerSize + ADDRESS_SIZE + TRANSFER_COUNTS);
  const signer = Buffer.from(publicKey, "hex");
  bytes.writeUInt32LE(bytes.length, VERIFIABLE.size);
  signer.copy(bytes, VERIFIABLE.signerPublicKey);
  bytes.writeUInt8(1, VERIFIABLE.version);
  bytes.writeUInt8(network, VERIFIABLE.network);
  bytes.writeUInt16LE(TRANSACTION_TYPE.transfer, VERIFIABLE.type);
  bytes.writeBigUInt64LE(BigInt(EXAMPLE_FEE * bytes.length), TRANSACTION.maxFee);
  bytes.writeBigUInt64LE(BigInt(timestamp + EXAMPLE_LIFETIME_MS), TRANSACTION.deadline);
  addressOfPublicKey(signer, network).copy(bytes, TRANSACTION.headerSize);
  return hex(bytes);
}

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
): Examples[string] | readonly Examples[string][] {
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
