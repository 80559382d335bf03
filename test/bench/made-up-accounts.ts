import { randomBytes } from "node:crypto";
import { encodeEntityId, formatEntityId } from "../../catapult/json/entity-id.js";
import { renderAccount } from "../../catapult/state/account.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";

const MOSAICS = 5;
const BUCKETS = 5;

/**
 * Writes an account for every address that a transaction concerns, like those of the main network, with an importance and some
 * mosaics, and marks the state as complete: a generated chain is not executed, so it has none.
 * @returns the addresses, 24 bytes each, those with the most transactions first
 */
export async function writeAccounts(databaseUrl: string): Promise<Buffer[]> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1, statementTimeoutMs: 0 });
  try {
    const rows = await db
      .selectFrom("transaction_addresses")
      .select("address")
      .where("embedded", "=", false)
      .groupBy("address")
      .orderBy(({ fn }) => fn.countAll(), "desc")
      .execute();
    const addresses = rows.map(({ address }) => address);
    for (const [index, address] of addresses.entries()) await writeAccount(db, address, index + 1);
    await db.deleteFrom("pending_states").execute();
    await db
      .updateTable("head")
      .set(({ ref }) => ({ state_height: ref("height") }))
      .execute();
    return addresses;
  } finally {
    await db.destroy();
  }
}

async function writeAccount(db: Db, address: Buffer, number: number): Promise<void> {
  const id = encodeEntityId(0, number);
  const publicKey = randomBytes(32);
  const document = renderAccount(
    {
      address,
      addressHeight: number,
      publicKey,
      publicKeyHeight: number,
      accountType: 0,
      linkedPublicKey: undefined,
      nodePublicKey: undefined,
      vrfPublicKey: randomBytes(32),
      votingKeys: [],
      importance: { value: 1_000_000n, height: 720 },
      activityBuckets: Array.from({ length: BUCKETS }, (_, bucket) => ({
        startHeight: 720 * bucket,
        totalFeesPaid: 1_000_000n,
        beneficiaryCount: bucket,
        rawScore: 1_000_000_000n,
      })),
      mosaics: Array.from({ length: MOSAICS }, (_, mosaic) => ({ id: BigInt(mosaic), amount: 1_000_000_000n })),
    },
    formatEntityId(id),
  );
  await db
    .insertInto("accounts")
    .values({
      id,
      value: Buffer.alloc(0),
      document,
      address,
      public_key: publicKey,
      account_type: 0,
      importance: 1_000_000n,
      importance_height: 720,
      read_height: 1,
    })
    .execute();
}
