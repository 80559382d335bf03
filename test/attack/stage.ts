import { randomBytes } from "node:crypto";
import type pg from "pg";
import { addressOfPublicKey, encodeAddress } from "../../catapult/entity/address.js";
import { AGGREGATE, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { hex } from "../../catapult/entity/hex.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { busiestAccounts } from "../bench/busiest-accounts.js";
import { createRawDatabase, fillFromRaw } from "../bench/filled-database.js";
import { aggregateToMany, type CostlyAggregate, costlyAggregate, newParty } from "../support/costly-aggregate.js";
import { type TestDatabase, withClient } from "../support/database.js";
import { DevnetFixture, signedAggregate, signedPayload } from "../support/devnet.js";
import { EventWriter, type TestEvent } from "../support/event-writer.js";
import { transferPart } from "../support/generated-transactions.js";
import { makeEmbedded } from "../support/made-transaction.js";
import { urlOfReader } from "../support/reader-user.js";
import { SeededRandom } from "../support/seeded-random.js";
import { stateValue } from "../support/state-value.js";
import type { Port } from "./ask.js";
import type { AttackEvents, Target } from "./attack.js";
import { addMultisigGraph, strayCosignatures } from "./attacked-graph.js";

/** How much there is behind a gateway. */
export interface StageSize {
  readonly blocks: number;
  readonly accounts: number;
  /** Aggregates of account restrictions that are tried. */
  readonly costly: number;
  readonly unfunded: number;
}

const WHOLE: StageSize = { blocks: 5_000, accounts: 400, costly: 8, unfunded: 200 };
const LARGE_TRANSACTIONS = 100;
const EMBEDDED = 100;
const MESSAGE_SIZE = 1_024;
const ADDRESSES = 2_000;
/** Addresses of an event that concerns many: the first of the target's. */
const CONCERNED = 200;
const PAYLOADS = 50;
const ACCOUNTS_OF_ATTACKS = 100;
const AGGREGATES = 20;
/** What is stored of announcements. */
const STORED_TABLES = ["announcements", "rejected_announcements", "transaction_statuses", "events", "event_addresses"];
export const GRAPHQL_TOKEN = "a-token-for-attacks";

/** The backend of an attacked gateway: a filled database, and a node. */
export class Stage {
  readonly #database: TestDatabase;
  readonly #node: DevnetFixture;
  readonly #writer: EventWriter;
  readonly #known: Omit<Target, "port" | "isTls" | "sequence">;
  readonly #addresses: readonly Buffer[];

  private constructor(
    database: TestDatabase,
    node: DevnetFixture,
    addresses: readonly Buffer[],
    known: Omit<Target, "port" | "isTls" | "sequence">,
  ) {
    this.#database = database;
    this.#node = node;
    this.#addresses = addresses;
    this.#known = known;
    this.#writer = new EventWriter(database.url);
  }

  static async build({ blocks, accounts, costly, unfunded } = WHOLE): Promise<Stage> {
    const node = await DevnetFixture.start();
    const { database, network } = await createRawDatabase({ blocks, seed: 1, accounts });
    await fillFromRaw(database.url, network);
    const largeHashes = await withClient(database.url, (client) => enlarge(client, node));
    await withClient(database.url, (client) => beExecuted(client, node));
    const multisigAggregate = await withClient(database.url, (client) => addMultisigGraph(client, node.devnet));
    const { identifier } = node.devnet.network;
    const addresses = Array.from({ length: ADDRESSES }, () => addressOfPublicKey(randomBytes(32), identifier));
    return new Stage(database, node, addresses, {
      graphqlToken: GRAPHQL_TOKEN,
      readerUrl: await urlOfReader(database.url),
      addressHex: addresses[0]!.toString("hex"),
      addresses: addresses.map(encodeAddress),
      accounts: (await busiestAccounts(database.url)).slice(0, ACCOUNTS_OF_ATTACKS).map(encodeAddress),
      largeHashes,
      height: blocks,
      payloads: invalidPayloads(node),
      aggregates: largestAggregates(node),
      multisigAggregate,
      costly: byPaupers(node, costly, (made, n) => costlyAggregate({ ...made, value: n % 2 ? "mosaic" : "address" })),
      unfunded: byPaupers(node, unfunded, aggregateToMany),
      cosignatures: strayCosignatures(),
    });
  }

  get databaseUrl(): string {
    return this.#database.url;
  }

  /** Settings of a gateway on it. */
  get settings(): Record<string, string> {
    const { port, resourcesDirectory } = this.#node.devnet;
    return {
      CATAPULT_NODES: `127.0.0.1:${port}`,
      CATAPULT_RESOURCES: resourcesDirectory,
      GRAPHQL_TOKEN,
    };
  }

  /** Deletes all events of the last attack. */
  async reset(): Promise<void> {
    await this.#writer.clear();
  }

  /** Writes events. @returns the sequence of the last one */
  async write({ count, bytes, together = count, concern = "one" }: AttackEvents): Promise<number> {
    const addresses = this.#addresses.slice(0, concern === "one" ? 1 : CONCERNED);
    const event: TestEvent = { channel: "confirmedAdded", addresses, data: { padding: "x".repeat(bytes) } };
    let last = 0;
    for (let written = 0; written < count; written += together) {
      const size = Math.min(together, count - written);
      last = await this.#writer.write(...Array<TestEvent>(size).fill(event));
    }
    return last;
  }

  /** A transfer that succeeds, in hex. */
  get payload(): string {
    const [signer] = this.#node.devnet.accounts as [DevnetAccount];
    return hex(signedPayload(this.#node.devnet, signer, { amount: 1n }));
  }

  /** Bytes of the database that clients can make grow. */
  storedBytes(): Promise<number> {
    return withClient(this.#database.url, async (client) => {
      const { rows } = await client.query<{ bytes: string }>(
        "select sum(pg_total_relation_size(oid)) as bytes from pg_class where relkind = 'r' and relname = any($1)",
        [STORED_TABLES],
      );
      return Number(rows[0]!.bytes);
    });
  }

  target(port: Port, sequence: number): Target {
    return { ...this.#known, ...port, sequence };
  }

  async end(): Promise<void> {
    await this.#writer.close();
    await this.#database.drop();
    await this.#node.stop();
  }
}

/**
 * Turns 100 aggregates into maximum-size ones, with 100 embedded transfers with a message of 1,024 bytes each, and sets
 * the network of the index to the node's. @returns their hashes
 */
async function enlarge(client: pg.Client, { devnet }: DevnetFixture): Promise<string[]> {
  await client.query("update head set generation_hash_seed = $1, network_identifier = $2", [
    devnet.network.generationHashSeed,
    devnet.network.identifier,
  ]);
  const { rows } = await client.query<{ id: string; hash: string; header: Buffer }>(
    `select t.id::text as id, upper(encode(t.hash, 'hex')) as hash,
       substring(r.block from t.position + 1 for ${AGGREGATE.headerSize}) as header
     from transactions t join raw_blocks r on r.height = t.id >> 32
     where t.type in (2 * 16705, 2 * 16961) order by t.id desc limit $1`,
    [LARGE_TRANSACTIONS],
  );
  const signer = newParty(devnet.network, new SeededRandom());
  const message = Buffer.alloc(MESSAGE_SIZE, "x");
  const part = transferPart({ signer, recipient: signer.address, mosaics: [], message });
  const transfer = makeEmbedded(part, devnet.network);
  const payload = Buffer.concat(Array<Buffer>(EMBEDDED).fill(transfer));
  for (const { id, header } of rows) {
    header.writeUInt32LE(header.length + payload.length, VERIFIABLE.size);
    header.writeUInt32LE(payload.length, AGGREGATE.payloadSize);
    // The larger aggregate is appended to its block.
    await client.query(
      `update transactions t set position = length(r.block), size = $2, embedded_size = $3
       from raw_blocks r where t.id = $1 and r.height = t.id >> 32`,
      [id, header.length + payload.length, payload.length],
    );
    const bytes = Buffer.concat([header, payload]);
    await client.query("update raw_blocks set block = block || $2::bytea where height = $1::int8 >> 32", [id, bytes]);
  }
  await client.query("vacuum analyze");
  return rows.map(({ hash }) => hash);
}

/** Lets the state count as computed by execution, with the account that signs the largest aggregates. */
async function beExecuted(client: pg.Client, fixture: DevnetFixture): Promise<void> {
  const [{ address, publicKey }] = fixture.devnet.accounts as [DevnetAccount];
  const value = stateValue((await fixture.executed()).state.tables, "account", address);
  if (!value) throw new Error("The node has no account to sign with");
  await client.query(
    `insert into accounts (id, address, public_key, account_type, importance, importance_height, address_height, value)
     values (decode(lpad('ff', 24, 'f'), 'hex'), $1, $2, 0, 0, 0, 1, $3)`,
    [address, publicKey, value],
  );
}

/** Aggregates by accounts that have nothing, each with its number. */
function byPaupers(
  { devnet }: DevnetFixture,
  count: number,
  make: (made: Omit<CostlyAggregate, "value">, n: number) => Buffer,
) {
  const { network, rules } = devnet;
  const random = new SeededRandom();
  const deadline = BigInt(Date.now() - rules.epochAdjustment * 1_000 + 3_600_000);
  return Array.from({ length: count }, (_, n) =>
    hex(make({ network, signer: newParty(network, random), random, deadline }, n)),
  );
}

/** Aggregates of 100 transfers with messages of 1,024 bytes, each to another account. */
function largestAggregates({ devnet }: DevnetFixture): string[] {
  const [signer] = devnet.accounts as [DevnetAccount];
  const { identifier } = devnet.network;
  const message = Buffer.alloc(MESSAGE_SIZE, "x");
  return Array.from({ length: AGGREGATES }, () => {
    const embedded = Array.from({ length: EMBEDDED }, () => ({
      signer,
      fields: { recipientAddress: addressOfPublicKey(randomBytes(32), identifier), amount: 1n, message },
    }));
    return hex(signedAggregate(devnet, signer, { embedded }));
  });
}

/** Signed transfers, half of them with an invalid signature, the others of a mosaic that does not exist. */
function invalidPayloads({ devnet }: DevnetFixture): string[] {
  const [poor, other] = [devnet.accounts.at(-1)!, devnet.accounts[0]!];
  return Array.from({ length: PAYLOADS }, (_, n) => {
    const amount = 10n ** 15n + BigInt(n);
    const payload = signedPayload(devnet, poor, { recipientAddress: other.address, amount });
    if (n % 2) payload[8] = payload[8]! ^ 1;
    return hex(payload);
  });
}
