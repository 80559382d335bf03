import type { AddressInfo } from "node:net";
import express, { type RequestHandler, type Response } from "express";
import pg from "pg";
import { decodeAddress } from "../../catapult/entity/address.js";
import { withEmbedded } from "../../catapult/json/transaction.js";
import { Collection } from "../../database/lists/collections.js";

/**
 * The baseline of REST, in its own process: hand-written handlers for two lists and two look-ups,
 * with express and pg, one prepared statement each, that send the stored documents. No other filters, no page
 * numbers, no limits, no error handling, no ETags.
 */

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

interface List {
  /** Of the prepared statement. */
  readonly name: string;
  /** Selects `id` and `document`. */
  readonly from: string;
  readonly collection: number;
  /** The parameter by which it is searched. */
  readonly key?: Buffer;
}

async function sendList(response: Response, list: List, query: Readonly<Record<string, unknown>>): Promise<void> {
  const { name, from, collection, key = Buffer.alloc(0) } = list;
  const pageSize = Number(query.pageSize ?? 10);
  const { offset } = query;
  const text = `
    select d.document, (select count from counters where collection = ${collection} and key = $2) as total
    from ${from} ${offset === undefined ? "" : "and d.id < $3"} order by d.id desc limit $1`;
  const values = [pageSize, key, ...(offset === undefined ? [] : [Buffer.from(String(offset), "hex")])];
  const { rows } = await pool.query<{ document: string; total: string }>({
    name: `${name}${values.length}`,
    text,
    values,
  });
  const totalEntries = Number(rows[0]?.total ?? 0);
  const pagination = { pageNumber: 1, pageSize, totalEntries, totalPages: Math.ceil(totalEntries / pageSize) };
  const documents = rows.map(({ document }) => document).join(",");
  sendJson(response, `{"data":[${documents}],"pagination":${JSON.stringify(pagination)}}`);
}

function sendJson(response: Response, body: string): void {
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}

const blocks: RequestHandler = (request, response) =>
  sendList(response, { name: "blocks", from: "blocks d where true", collection: Collection.blocks }, request.query);

const transactions: RequestHandler = ({ query }, response) => {
  if (query.address === undefined) {
    const from = "transactions d where not d.embedded";
    return sendList(response, { name: "transactions", from, collection: Collection.transactionsTop }, query);
  }
  const from = `(
    select t.id, t.document from transaction_addresses a join transactions t on t.id = a.id
    where a.address = $2 and not a.embedded) d where true`;
  const key = decodeAddress(String(query.address));
  return sendList(response, { name: "of", from, collection: Collection.transactionsByAddressTop, key }, query);
};

const AGGREGATES = [0x4141, 0x4241];

const transaction: RequestHandler = async ({ params }, response) => {
  const { rows } = await pool.query<{ id: Buffer; type: number; document: string }>({
    name: "transaction",
    text: "select id, type, document from transactions where hash = $1",
    values: [Buffer.from(String(params.hash), "hex")],
  });
  const { id, type, document = "" } = rows[0] ?? {};
  if (!id || !AGGREGATES.includes(type as number)) return sendJson(response, document);
  const { rows: inside } = await pool.query<{ document: string }>({
    name: "inside",
    text: "select document from transactions where id > $1 and id <= $2 order by id",
    values: [id, Buffer.concat([id.subarray(0, 9), Buffer.alloc(3, 0xff)])],
  });
  const embedded = inside.map((entry) => entry.document);
  return sendJson(response, withEmbedded(document, embedded));
};

const account: RequestHandler = async ({ params }, response) => {
  const address = decodeAddress(String(params.address));
  const { rows } = await pool.query<{ document: string }>({
    name: "account",
    text: "select document from accounts where address = $1",
    values: [address],
  });
  sendJson(response, rows[0]?.document ?? "");
};

const app = express();
app.disable("etag");
app.disable("x-powered-by");
app.get("/blocks", blocks);
app.get("/transactions/confirmed", transactions);
app.get("/transactions/confirmed/:hash", transaction);
app.get("/accounts/:address", account);
const server = app.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on("disconnect", () => process.exit());
