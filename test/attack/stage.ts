import { randomBytes } from "node:crypto";
import type pg from "pg";
import { addressOfPublicKey, encodeAddress } from "../../catapult/entity/address.js";
import { createRawDatabase, fillFromRaw } from "../bench/filled-database.js";
import { writeAccounts } from "../bench/made-up-accounts.js";
import { withClient } from "../bench/table-copies.js";
import type { TestDatabase } from "../support/database.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { EventWriter, type TestEvent } from "../support/event-writer.js";
import type { AttackEvents, Target } from "./attack.js";

const BLOCKS = 5_000;
const ACCOUNTS = 400;
const LARGE_TRANSACTIONS = 100;
/** Characters that make the document of a transaction as large as one with a message of 1,024 bytes. */
const EMBEDDED_BYTES = 2_000;
const ADDRESSES = 2_000;
/** Addresses of an event that concerns many: the first of the target's. */
const CONCERNED = 200;
const PAYLOADS = 50;
export const GRAPHQL_TOKEN = "a-token-for-attacks";

/** The backend of an attacked gateway: a filled database, and a node. */
export class Stage {
  readonly #database: TestDatabase;
  readonly #node: DevnetFixture;
  readonly #writer: EventWriter;
  readonly #known: Omit<Target, "port" | "sequence">;
  readonly #addresses: readonly Buffer[];

  private constructor(
    database: TestDatabase,
    node: DevnetFixture,
    addresses: readonly Buffer[],
    known: Omit<Target, "port" | "sequence">,
  ) {
    this.#database = database;
    this.#node = node;
    this.#addresses = addresses;
    this.#known = known;
    this.#writer = new EventWriter(database.url);
  }

  static async build(): Promise<Stage> {
    const node = await DevnetFixture.start();
    const database = await createRawDatabase({ blocks: BLOCKS, seed: 1, isSigned: false, accounts: ACCOUNTS });
    await fillFromRaw(database.url);
    await writeAccounts(database.url);
    const largeHashes = await withClient(database.url, (client) => enlarge(client, node));
    const { identifier } = node.devnet.network;
    const addresses = Array.from({ length: ADDRESSES }, () => addressOfPublicKey(randomBytes(32), identifier));
    return new Stage(database, node, addresses, {
      graphqlToken: GRAPHQL_TOKEN,
      addressHex: addresses[0]!.toString("hex"),
      addresses: addresses.map(encodeAddress),
      largeHashes,
      height: BLOCKS,
      payloads: invalidPayloads(node),
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

  target(port: number, sequence: number): Target {
    return { ...this.#known, port, sequence };
  }

  async end(): Promise<void> {
    await this.#writer.close();
    await this.#database.drop();
    await this.#node.stop();
  }
}

/**
 * Turns 100 aggregates into maximum-size ones, with 100 embedded transactions each, and sets the network of the index to
 * the node's. @returns their hashes
 */
async function enlarge(client: pg.Client, { devnet }: DevnetFixture): Promise<string[]> {
  await client.query("update head set generation_hash_seed = $1, network_identifier = $2", [
    devnet.network.generationHashSeed,
    devnet.network.identifier,
  ]);
  const { rows } = await client.query<{ id: Buffer; hash: string }>(
    `select id, upper(encode(hash, 'hex')) as hash from transactions
     where not embedded and type in (16705, 16961) order by id desc limit $1`,
    [LARGE_TRANSACTIONS],
  );
  const ids = rows.map(({ id }) => id);
  // Only look-ups read these: they are not in counters and lists.
  await client.query(
    `insert into transactions (id, embedded, hash, merkle_component_hash, type, version, signer_public_key, signer_address,
       recipient_address, max_fee, fee, deadline, size, document)
     select substring(a.id from 1 for 9) || decode(lpad(to_hex(n + 1000), 6, '0'), 'hex'), true, null, null, e.type, e.version,
       e.signer_public_key, e.signer_address, e.recipient_address, null, null, null, e.size,
       left(e.document, length(e.document) - 1) || ',"padding":"' || repeat(md5(n::text), $2) || '"}'
     from unnest($1::bytea[]) a(id) cross join generate_series(1, 100) n
     cross join lateral (select * from transactions t where t.embedded limit 1) e`,
    [ids, Math.ceil(EMBEDDED_BYTES / 32)],
  );
  await client.query("vacuum analyze");
  return rows.map(({ hash }) => hash);
}

/** Signed transfers, half of them with an invalid signature, the others of a mosaic that does not exist. */
function invalidPayloads({ devnet }: DevnetFixture): string[] {
  const [poor, other] = [devnet.accounts.at(-1)!, devnet.accounts[0]!];
  return Array.from({ length: PAYLOADS }, (_, n) => {
    const amount = 10n ** 15n + BigInt(n);
    const payload = signedPayload(devnet, poor, { recipientAddress: other.address, amount });
    if (n % 2) payload[8] = payload[8]! ^ 1;
    return payload.toString("hex").toUpperCase();
  });
}
