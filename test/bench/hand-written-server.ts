import type { AddressInfo } from "node:net";
import express, { type RequestHandler, type Response } from "express";
import pg from "pg";
import { decodeAddress } from "../../catapult/entity/address.js";
import { decodeEntityId, numberFrom } from "../../catapult/json/entity-id.js";
import { withEmbedded } from "../../catapult/json/transaction.js";
import { Collection, listNumber } from "../../database/lists/collections.js";

/**
 * The baseline of REST, in its own process: hand-written handlers for two lists and two look-ups,
 * with express and pg, one prepared statement each, that send the stored documents. No other filters, no page
 * numbers, no limits, no error handling, no ETags.
 */

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

interface List {
  /** Of the prepared statement. */
  readonly name: string;
  /** Selects ids and `document`. */
  readonly from: string;
  /** The column of ids: the stored form, or the height of a block. */
  readonly id: "id" | "height";
  /** Its number, as SQL. */
  readonly list: string;
  /** The parameter by which it is searched, $2. */
  readonly key?: Buffer;
}

async function sendList(response: Response, list: List, query: Readonly<Record<string, unknown>>): Promise<void> {
  const { name, from, id, key } = list;
  const given = [Number(query.pageSize ?? 10), ...(key ? [key] : [])];
  const pageSize = given[0] as number;
  const { offset } = query;
  const text = `
    select d.document, (select count from list_counters where list = ${list.list}) as total
    from ${from} ${offset === undefined ? "" : `and d.${id} < $${given.length + 1}`} order by d.${id} desc limit $1`;
  const values = [...given, ...(offset === undefined ? [] : [offsetOf(id, Buffer.from(String(offset), "hex"))])];
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

function offsetOf(id: List["id"], offset: Buffer): bigint | number {
  return id === "id" ? numberFrom(offset) : decodeEntityId(offset).height;
}

function sendJson(response: Response, body: string): void {
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}

const blocks: RequestHandler = (request, response) => {
  const list = String(listNumber(Collection.blocks, 0));
  return sendList(response, { name: "blocks", from: "blocks d where true", id: "height", list }, request.query);
};

const transactions: RequestHandler = ({ query }, response) => {
  if (query.address === undefined) {
    const list = String(listNumber(Collection.transactionsTop, 0));
    const from = "transactions d where d.type & 1 = 0";
    return sendList(response, { name: "transactions", from, id: "id", list }, query);
  }
  const account = "(select id from keys where key = $2 and kind = 1)";
  const from = `(
    select t.id, t.document from transaction_addresses a join transactions t on t.id = a.id
    where a.account = 2 * ${account}) d where true`;
  const list = `${listNumber(Collection.transactionsByAddressTop, 0)} + ${account}`;
  const key = decodeAddress(String(query.address));
  return sendList(response, { name: "of", from, id: "id", list, key }, query);
};

const AGGREGATES = [0x4141, 0x4241];

const transaction: RequestHandler = async ({ params }, response) => {
  const { rows } = await pool.query<{ id: string; type: number; document: string }>({
    name: "transaction",
    text: "select id, type / 2 as type, document from transactions where hash = $1",
    values: [Buffer.from(String(params.hash), "hex")],
  });
  const { id, type, document = "" } = rows[0] ?? {};
  if (!id || !AGGREGATES.includes(type as number)) return sendJson(response, document);
  const { rows: inside } = await pool.query<{ document: string }>({
    name: "inside",
    text: "select document from transactions where id > $1 and id <= $2 order by id",
    values: [id, BigInt(id) + 4_095n],
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
