import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { serializeHistory } from "../../ledger/tables/account-history.js";
import type { AccountState } from "../../ledger/tables/accounts.js";
import { createMigratedDatabase } from "../support/database.js";
import { withClient } from "./table-copies.js";

/** The cost of loading a state. */
export interface Loading {
  readonly ms: number;
  /** Processor time of the process. */
  readonly cpuMs: number;
  /** Load average of the machine at the end, over the last minute. */
  readonly load: number;
  readonly accounts: number;
  /** Peak memory of the process. */
  readonly peakMemoryMiB: number;
}

/** One account in 27 has an importance, and a history of it: 12,143 of 330,000 on the main network. */
const IMPORTANT_EVERY = 27;
const FUNDS = 20_000_000_000n;

/**
 * Loads the state of a database with generated accounts in its own process.
 * @throws Error when not all were loaded
 */
export async function measureLoading(accounts: number, say: (line: string) => void): Promise<Loading> {
  const database = await createMigratedDatabase();
  try {
    await withClient(database.url, (client) => insertAccounts(client, accounts));
    say(`${accounts} accounts stored`);
    const loading = await loadState(database.url);
    if (loading.accounts !== accounts) throw new Error(`Loaded ${loading.accounts} accounts of ${accounts}`);
    return loading;
  } finally {
    await database.drop();
  }
}

/** Loads the state of a database whose chain is that of `executableNetwork` with seed 1, in its own process. */
export async function loadState(url: string): Promise<Loading> {
  const program = fork(fileURLToPath(new URL("./loading-program.js", import.meta.url)), [url], { execArgv: [] });
  const [loading] = (await once(program, "message")) as [Loading];
  program.kill();
  return loading;
}

/** Inserts a number of accounts with values as those of the main network. */
export async function insertAccounts(client: pg.Client, accounts: number): Promise<void> {
  await client.query(INSERT, [accounts, IMPORTANT_EVERY, HISTORY]);
  await client.query("vacuum analyze accounts");
}

const IMPORTANCE = { importance: 100_000n, height: 720 };
const BUCKET = { startHeight: 720, totalFeesPaid: 0n, beneficiaryCount: 0, rawScore: 100_000n };
const HISTORY = serializeHistory({ importances: [IMPORTANCE], activity: [BUCKET] } as unknown as AccountState);

/** An account's value: version, address, height, public key, height, type, format, links, voting keys, balances. */
const VALUE_HEAD = "'\\x0100'::bytea || address || '\\x0100000000000000'::bytea || key || '\\x0100000000000000'::bytea";
const BALANCE = `'\\x0100'::bytea || '\\xce8ba0672e21c072'::bytea || '\\x${littleEndian(FUNDS)}'::bytea`;
/** As in the history: its newest importance and five buckets. */
const IMPORTANT =
  `'\\x00010000'::bytea || '\\x${littleEndian(IMPORTANCE.importance)}${littleEndian(720n)}'::bytea || ` +
  `'\\x${littleEndian(720n)}${littleEndian(0n)}00000000${littleEndian(BUCKET.rawScore)}${"00".repeat(4 * 28)}'::bytea`;

const INSERT = `
  insert into accounts (id, address, public_key, account_type, importance, importance_height, address_height, value, history)
  select decode(lpad(to_hex(n + 1099511627776), 24, '0'), 'hex'), address, key, 0, 0, 0, 1,
    ${VALUE_HEAD} || (case when n % $2 = 0 then ${IMPORTANT} else '\\x00000000'::bytea end) || ${BALANCE},
    case when n % $2 = 0 then $3::bytea end
  from generate_series(1, $1::int8) n,
    lateral (select sha256(n::text::bytea) as key) k,
    lateral (select '\\x98'::bytea || substring(sha256(key) for 23) as address) a`;

function littleEndian(value: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.toString("hex");
}
