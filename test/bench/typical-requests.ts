import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { entityNumber } from "../../catapult/json/entity-id.js";
import { SeededRandom } from "../support/seeded-random.js";
import { withClient } from "./table-copies.js";

const PAGE = "pageSize=20";

/** What the requests are about: a block, a transaction in it, an account that sent some, and a page. */
interface Subject {
  readonly height: number;
  readonly inBlock: number;
  readonly hash: string;
  readonly address: string;
  readonly publicKey: string;
  /** From 0 to 1. */
  readonly place: number;
}

interface Totals {
  readonly blocks: number;
  readonly transactions: number;
  readonly accounts: number;
  readonly mosaic: string;
}

const confirmed = (filter: string) => `/transactions/confirmed?${filter}&${PAGE}`;
const pageOf = (place: number, count: number) => `pageNumber=${1 + Math.floor((place * count) / 20)}`;

/** Typical requests, by what is requested. */
const KINDS: Readonly<Record<string, (subject: Subject, totals: Totals) => string>> = {
  "the head of the chain": () => "/chain/info",
  "newest blocks": () => `/blocks?${PAGE}`,
  "a block": ({ height }) => `/blocks/${height}`,
  "any page of all blocks": ({ place }, { blocks }) => `/blocks?${PAGE}&${pageOf(place, blocks)}`,
  "newest transactions": () => confirmed("order=desc"),
  "a transaction by hash": ({ hash }) => `/transactions/confirmed/${hash}`,
  "any page of all transactions": ({ place }, { transactions }) => confirmed(pageOf(place, transactions)),
  "transactions of a block, with embedded ones": ({ inBlock }) => confirmed(`height=${inBlock}&embedded=true`),
  "transactions since a block": ({ height }) => confirmed(`fromHeight=${height}&order=asc`),
  "an account's newest transactions": ({ address }) => confirmed(`address=${address}`),
  "an account's oldest transactions": ({ address }) => confirmed(`address=${address}&order=asc`),
  "an account's newest transfers": ({ address }) => confirmed(`address=${address}&type=16724`),
  "what an account sent": ({ publicKey }) => confirmed(`signerPublicKey=${publicKey}`),
  "an account's transfers of a mosaic": ({ address }, { mosaic }) =>
    confirmed(`address=${address}&transferMosaicId=${mosaic}`),
  "Merkle path of a transaction": ({ inBlock, hash }) => `/blocks/${inBlock}/transactions/${hash}/merkle`,
  "receipts of a block": ({ height }) => `/statements/transaction?height=${height}`,
  "receipts since a block": ({ height }) => `/statements/transaction?fromHeight=${height}&order=asc&${PAGE}`,
  "an account": ({ address }) => `/accounts/${address}`,
  "any page of all accounts": ({ place }, { accounts }) => `/accounts?${PAGE}&${pageOf(place, accounts)}`,
  "any page of the holders of a mosaic": ({ place }, { accounts, mosaic }) =>
    `/accounts?mosaicId=${mosaic}&orderBy=balance&${PAGE}&${pageOf(place, accounts)}`,
};

/** Names of the kinds, in the order of the requests. */
export const REQUEST_KINDS: readonly string[] = Object.keys(KINDS);

/** Different requests, one of each kind after the other, `count` times: the same ones for the same database and seed. */
export async function typicalRequests(databaseUrl: string, count: number, seed: number): Promise<string[]> {
  const random = new SeededRandom(seed);
  return withClient(databaseUrl, async (client) => {
    const totals = (
      await client.query<Totals>(`
        select (select height from head) as blocks, (select upper(encode(mosaic_id, 'hex')) from mosaics) as mosaic,
          (select count(*)::int4 from transactions where type % 2 = 0) as transactions,
          (select count(*)::int4 - 40 from accounts) as accounts`)
    ).rows[0]!;
    const transaction = "select id, hash from transactions where id >= $1 and type % 2 = 0 order by id limit 1";
    const sender = `select address, public_key from accounts
      where address >= $1
        and exists (select from keys k join transactions t on t.signer = 2 * k.id where k.key = accounts.public_key)
      order by address limit 1`;
    const paths: string[] = [];
    for (let drawn = 0; drawn < count; drawn++) {
      const height = 1 + random.below(totals.blocks - 1_000);
      const { id, hash } = (await client.query<{ id: string; hash: Buffer }>(transaction, [entityNumber(height)]))
        .rows[0]!;
      const from = Buffer.from([0x98, random.below(250), random.below(256)]);
      const { address, public_key } = (await client.query<{ address: Buffer; public_key: Buffer }>(sender, [from]))
        .rows[0]!;
      const subject: Subject = {
        height,
        inBlock: Number(BigInt(id) >> 32n),
        hash: hex(hash),
        address: encodeAddress(address),
        publicKey: hex(public_key),
        place: random.below(1_000) / 1_000,
      };
      for (const path of Object.values(KINDS)) paths.push(path(subject, totals));
    }
    return paths;
  });
}

/** @throws Error when an answer is not about what was requested, or is an empty page */
export async function checkRequests(port: number, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const answer = await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    const named = /[0-9A-F]{64}$|(?<=\/blocks\/)\d+$/.exec(path)?.[0];
    const isRight =
      named !== undefined
        ? answer.includes(`"${named}"`)
        : /"data":\[\{|"merklePath":\[|"height":"|"address"/.test(answer);
    if (!isRight) throw new Error(`The answer to ${path} is wrong: ${answer.slice(0, 500)}`);
  }
}
