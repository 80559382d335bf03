import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { COPY_HEADER, COPY_TRAILER, CopyEncoder } from "../../database/binary/copy.js";
import { bytea, int8 } from "../../database/binary/rows.js";
import { SingleConnection } from "../../database/single-connection.js";
import type { DevnetNetwork } from "../../devnet/network/network.js";
import { writeResources } from "../../devnet/network/resources.js";
import { type BackfillReport, backfill } from "../../indexer/backfill.js";
import { insertHead, noteEpoch } from "../../indexer/chain/step/network.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import type { GeneratedBlock } from "../support/executable-chain.js";
import { type ExecutableOptions, executableNetwork, generateExecutableChain } from "../support/executable-chain.js";

const BLOCKS_AT_A_TIME = 2_000;
/** When the network's time begins: there are sums by day only if that is known. */
const EPOCH_MS = 1_615_853_185_000;

/** A block that votes have proven. */
interface FinalBlock {
  readonly epoch: number;
  readonly point: number;
  readonly height: number;
  readonly hash: Buffer;
}

/** Runs `work` with the setting that lets a program execute the blocks of a network. */
export async function withResources<Result>(
  network: DevnetNetwork,
  work: (settings: { readonly CATAPULT_RESOURCES: string }) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), "symbol-gateway-bench-"));
  try {
    await writeResources(folder, network, { port: 7900, host: "", friendlyName: "" });
    return await work({ CATAPULT_RESOURCES: folder });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A migrated database with the bytes of a generated chain, the blocks finalized by its votes, and nothing else. */
export async function createRawDatabase(
  options: ExecutableOptions,
): Promise<{ readonly database: TestDatabase; readonly network: DevnetNetwork }> {
  const { network } = executableNetwork(options);
  const final: FinalBlock[] = [];
  function* blocks(): Generator<GeneratedBlock> {
    for (const block of generateExecutableChain({ ...options, open: 0 })) {
      const { height, hash, proof } = block;
      if (proof) final.push({ epoch: proof.epoch, point: 1, height, hash });
      yield block;
    }
  }
  const database = await createDatabaseOf(network.identity, blocks(), final);
  return { database, network };
}

async function createDatabaseOf(
  network: NetworkIdentity,
  blocks: Iterable<GeneratedBlock>,
  final: readonly FinalBlock[],
): Promise<TestDatabase> {
  const database = await createMigratedDatabase();
  const connection = await SingleConnection.open(database.url, "bench");
  try {
    const { client, db } = connection;
    await insertHead(db, network);
    await noteEpoch(db, EPOCH_MS);
    const sink = copyFrom(
      "copy raw_blocks (height, block, statement, sub_cache_merkle_roots) from stdin (format binary)",
    );
    await pipeline(Readable.from(encodeRaw(blocks)), client.query(sink));
    await client.query("analyze raw_blocks");
    // Known when all blocks are generated.
    if (final.length > 0) await db.insertInto("finalized_blocks").values(final).execute();
  } finally {
    await connection.close();
  }
  return database;
}

/** Blocks in the binary format of COPY. */
function* encodeRaw(blocks: Iterable<GeneratedBlock>): Generator<Buffer> {
  yield COPY_HEADER;
  const columns = { height: int8, block: bytea, statement: bytea, sub_cache_merkle_roots: bytea };
  let encoder = new CopyEncoder(columns);
  for (const { height, block, statement, subCacheMerkleRoots } of blocks) {
    encoder.row({ height, block, statement, sub_cache_merkle_roots: subCacheMerkleRoots });
    if (encoder.rows < BLOCKS_AT_A_TIME) continue;
    yield encoder.bytes();
    encoder = new CopyEncoder(columns);
  }
  yield encoder.bytes();
  yield COPY_TRAILER;
}

/** Builds all tables from the bytes in a database, and rebuilds existing ones. */
export async function fillFromRaw(url: string, { config }: DevnetNetwork, jobs = 1): Promise<BackfillReport> {
  const report = await backfill(
    {
      databaseUrl: url,
      source: "raw",
      nodes: [],
      credentials: clientCredentials,
      log: silentLog,
      execution: { configOf: () => config },
      jobs,
      verify: "hashes",
    },
    new AbortController().signal,
  );
  if (!report || report.height !== report.target) throw new Error("The database was not filled");
  return report;
}
