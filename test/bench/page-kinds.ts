import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { encodeEntityId, encodeEntityNumber } from "../../catapult/json/entity-id.js";
import { withClient } from "../support/database.js";

/** Different paths of one kind. */
const PATHS = 1_000;

/** A kind of request: the name of its row, and the paths that are requested in turn. */
export interface PageKind {
  readonly what: string;
  readonly paths: readonly string[];
  /** The ratio of rates to reach, compared with hand-written handlers; default 0.9. */
  readonly atLeast?: number;
  /** The ratio of processor times not to exceed, compared with a previous version; default 1.05. */
  readonly atMost?: number;
  /** The hand-written handlers do not serve it. */
  readonly isOurs?: boolean;
}

/** The kinds of request, with paths that all have an answer. */
export async function pageKinds(databaseUrl: string, addresses: readonly Buffer[]): Promise<PageKind[]> {
  /** Entries evenly distributed over a table, without those of the first pages. */
  const some = async (column: string, from: string, id = "id"): Promise<string[]> => {
    const { rows } = await withClient(databaseUrl, (client) =>
      client.query<{ text: string }>(
        `select ${column}::text as text from (
           select ${column}, row_number() over (order by ${id}) as n, count(*) over () as total from ${from}) r
         where n > 200 and n % (total / ${PATHS}) = 0 limit ${PATHS}`,
      ),
    );
    return rows.map(({ text }) => text);
  };
  const blocks = (await some("height", "blocks", "height")).map((height) => hex(encodeEntityId(Number(height))));
  const transactions = (await some("id", "transactions where type & 1 = 0")).map((id) =>
    hex(encodeEntityNumber(BigInt(id))),
  );
  const hashes = (await some("hash", "transactions where type & 1 = 0")).map((hash) => hash.slice(2).toUpperCase());
  return [
    { what: "`/blocks?pageSize=100`", paths: ["/blocks?pageSize=100"] },
    {
      what: "the same, a different one each time",
      paths: blocks.map((id) => `/blocks?pageSize=100&offset=${id}`),
      atMost: 1.2,
    },
    { what: "`/transactions/confirmed?pageSize=100`", paths: ["/transactions/confirmed?pageSize=100"] },
    {
      what: "the same, a different one each time",
      paths: transactions.map((id) => `/transactions/confirmed?pageSize=100&offset=${id}`),
    },
    {
      what: "`/transactions/confirmed?address=…&pageSize=100`, a different one each time",
      paths: addresses
        .slice(0, 100)
        .map((address) => `/transactions/confirmed?address=${encodeAddress(address)}&pageSize=100`),
    },
    {
      what: "`/transactions/confirmed/{hash}`, a different one each time",
      paths: hashes.map((hash) => `/transactions/confirmed/${hash}`),
      atLeast: 1,
    },
    {
      what: "`/accounts/{address}`, a different one each time",
      paths: addresses.map((address) => `/accounts/${encodeAddress(address)}`),
      atLeast: 1,
    },
    ...["accounts", "mosaics", "namespaces", "metadata"].map((kind) => ({
      what: `\`/${kind}?pageSize=100\`, four pages`,
      paths: [1, 2, 3, 4].map((page) => `/${kind}?pageSize=100&pageNumber=${page}`),
      isOurs: true,
    })),
  ];
}
