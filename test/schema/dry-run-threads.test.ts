import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "@jest/globals";
import { DryRunLimitError } from "../../ledger/engine/dry-run.js";
import { DryRunThreads } from "../../schema/dry-runs/dry-run-threads.js";
import type { HeadState } from "../../schema/dry-runs/head-state.js";
import { Penalties } from "../../schema/dry-runs/penalties.js";
import { readProcessorTime, threadFolder } from "../../schema/dry-runs/processor-time.js";
import { NETWORK } from "../devnet/state-test-chain.js";
import { entriesOf, sparseStateOf } from "../ledger/sparse-state-of.js";
import { costlyAggregate, newParty } from "../support/costly-aggregate.js";
import { multisigGraph } from "../support/multisig-graph.js";
import { SeededRandom } from "../support/seeded-random.js";
import { until } from "../support/until.js";

const graph = multisigGraph();
const { state } = graph.chain;
const aggregate = graph.aggregate(100, 1);
const random = new SeededRandom();
const costly = costlyAggregate({
  network: NETWORK,
  signer: newParty(NETWORK, random),
  random,
  value: "mosaic",
  deadline: BigInt(graph.chain.now + 3_600_000),
});
const threads = new DryRunThreads();

afterAll(() => threads.close());

/** More than any job needs. */
const share = (client: string) => ({ client, leftMs: 60_000 });

/** The state of the chain, as if it were read from a database. */
function headState(onRead: () => unknown = () => undefined): HeadState {
  const { tables, height, config } = state;
  return {
    config,
    basis: { height, feeMultipliers: tables.feeMultipliers.get(), confirmed: [] },
    at: () => Promise.reject(new Error("a dry run reads entries only")),
    read: async (keys) => {
      await onRead();
      return entriesOf(state, keys);
    },
  };
}

const evaluate = (payload: Buffer) =>
  ({ kind: "evaluate", network: NETWORK, others: [], payload, isPartial: false, now: graph.chain.now }) as const;
const job = evaluate(aggregate.bytes);

/** A job that exceeds what it may take of the processor. */
const exceed = (client: string) => threads.run({ client, leftMs: 1 }, evaluate(costly), headState());

test("a transaction is tried in a thread with the result that it has in the process", async () => {
  expect(await threads.run(share("client"), job, headState())).toBe("Failure_Aggregate_Missing_Cosignatures");
  const cosign = { kind: "cosign", network: NETWORK, aggregate: aggregate.bytes } as const;
  const tried = threads.run(share("client"), { ...cosign, publicKey: Buffer.alloc(32, 1) }, headState());
  expect(await tried).toBe("Failure_Aggregate_Ineligible_Cosignatories");
});

test("clients take turns: one with many dry runs delays another by one of them", async () => {
  const ended: string[] = [];
  const run = async (client: string) => {
    await threads.run(share(client), job, headState());
    ended.push(client);
  };
  await Promise.all([...Array.from({ length: 12 }, () => run("many")), run("one")]);
  expect(ended.indexOf("one")).toBeLessThan(4);
});

test("a job that takes too much of the processor is ended for its client alone, however often", async () => {
  let reads = 0;
  await threads.run(
    share("good"),
    job,
    headState(() => (reads += 1)),
  );
  expect(reads).toBeGreaterThan(1);
  const rounds = reads;
  // While it waits for entries, its thread is ended by another client, each time.
  const own = share("good");
  let ended = 0;
  const attacked = headState(async () => {
    reads += 1;
    for (let n = 0; n < 3; n++) {
      await expect(exceed(`bad ${reads} ${n}`)).rejects.toThrow(DryRunLimitError);
      ended += 1;
    }
  });
  expect(await threads.run(own, job, attacked)).toBe("Failure_Aggregate_Missing_Cosignatures");
  expect(ended).toBe(3 * rounds);
  // What was read for it is not read again.
  expect(reads).toBe(2 * rounds);
});

test("a client whose jobs are ended waits, and others do not", async () => {
  await expect(exceed("bad")).rejects.toThrow("takes more than 1 ms of the processor");
  expect(() => threads.share("bad")).toThrow("took too much work to be tried: try again in 1 s");
  expect(threads.share("good").leftMs).toBeGreaterThan(0);
  // What others have pending is not its fault.
  const withOthers = { ...job, others: [costly] };
  await expect(threads.run({ client: "good", leftMs: 1 }, withOthers, headState())).rejects.toThrow(DryRunLimitError);
  expect(threads.share("good").leftMs).toBeGreaterThan(0);
});

test("each further wait is twice as long, up to a minute, and a client that does nothing wrong is forgiven", () => {
  let now = 1_000;
  const penalties = new Penalties(() => now);
  const waits = Array.from({ length: 9 }, () => {
    penalties.add("client");
    const waitMs = penalties.waitMs("client");
    now += waitMs;
    return waitMs;
  });
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  expect(penalties.waitMs("client")).toBe(0);
  expect(penalties.waitMs("another")).toBe(0);
  now += 60_001;
  penalties.add("client");
  expect(penalties.waitMs("client")).toBe(500);
});

test("the processor time of a thread is its own: one that waits uses none", async () => {
  const waiting = threadFolder();
  if (waiting === undefined) return;
  const worker = new Worker("for (;;);", { eval: true });
  try {
    const before = readProcessorTime(waiting);
    const usage = process.cpuUsage();
    // The other thread uses the processor meanwhile.
    await until(() => process.cpuUsage(usage).user > 200_000, "the other thread has worked");
    expect(readProcessorTime(waiting) - before).toBeLessThan(process.cpuUsage(usage).user / 2_000);
  } finally {
    await worker.terminate();
  }
});

test("what fails while the state is read ends the dry run alone", async () => {
  const broken: HeadState = { ...headState(), read: () => Promise.reject(new Error("the database is gone")) };
  await expect(threads.run(share("client"), job, broken)).rejects.toThrow("the database is gone");
  expect(await threads.run(share("client"), job, headState())).toBe("Failure_Aggregate_Missing_Cosignatures");
});

test("threads that are closed reject what waits for them", async () => {
  const closing = new DryRunThreads();
  const running = Promise.allSettled([1, 2, 3].map((n) => closing.run(share(`client ${n}`), job, headState())));
  await closing.close();
  for (const result of await running) expect(result).toMatchObject({ reason: { code: "ServiceUnavailable" } });
});

test("the work of a dry run is counted, and bounded", async () => {
  let lookUps = 0;
  const endless = sparseStateOf(state, []).run((startDryRun) => {
    const dryRun = startDryRun();
    for (; lookUps < 10_000_000; ++lookUps) dryRun.hasLock(aggregate.hash);
  });
  await expect(endless).rejects.toThrow("needs more than 2000000 look-ups of the state");
});
