import { afterAll, expect, test } from "@jest/globals";
import { TrialLimitError } from "../../ledger/engine/trial.js";
import type { HeadState } from "../../schema/trials/head-state.js";
import { TrialThread } from "../../schema/trials/trial-thread.js";
import { NETWORK } from "../devnet/state-test-chain.js";
import { entriesOf, sparseStateOf } from "../ledger/sparse-state-of.js";
import { multisigGraph } from "../support/multisig-graph.js";
import { until } from "../support/until.js";

const graph = multisigGraph();
const { state } = graph.chain;
const aggregate = graph.aggregate(100, 1);
const thread = new TrialThread();

afterAll(() => thread.close());

/** The state of the chain, as if it were read from a database. */
function headState(onRead: () => void = () => undefined): HeadState {
  const { tables, height, config } = state;
  return {
    config,
    basis: { height, feeMultipliers: tables.feeMultipliers.get(), confirmed: [] },
    read: async (keys) => {
      onRead();
      return entriesOf(state, keys);
    },
  };
}

const judging = { kind: "judge", network: NETWORK, others: [], judged: aggregate.bytes, isPartial: false } as const;

test("a transaction is tried in a thread with the result that it has in the process", async () => {
  const job = { ...judging, now: graph.chain.now };
  expect(await thread.run("client", job, headState())).toBe("Failure_Aggregate_Missing_Cosignatures");
  const cosign = (publicKey: Buffer) =>
    thread.run("client", { kind: "cosign", network: NETWORK, aggregate: aggregate.bytes, publicKey }, headState());
  expect(await cosign(Buffer.alloc(32, 1))).toBe("Failure_Aggregate_Ineligible_Cosignatories");
});

test("clients take turns: one with many trials delays another by one of them", async () => {
  const ended: string[] = [];
  const run = async (client: string) => {
    await thread.run(client, { ...judging, now: graph.chain.now }, headState());
    ended.push(client);
  };
  await Promise.all([...Array.from({ length: 12 }, () => run("many")), run("one")]);
  expect(ended.indexOf("one")).toBeLessThan(4);
});

test("a trial continues in another thread if its own ends, and one that takes too long ends its thread", async () => {
  const job = { ...judging, now: graph.chain.now };
  let reads = 0;
  const ended = headState(() => {
    reads += 1;
    if (reads === 2) void thread.close();
  });
  expect(await thread.run("client", job, ended)).toBe("Failure_Aggregate_Missing_Cosignatures");
  const impatient = new TrialThread(0);
  const isEnded = () =>
    impatient.run("client", job, headState()).then(
      () => false,
      (error) => error instanceof TrialLimitError,
    );
  // The response to a step may arrive before the timer fires.
  await until(isEnded, "a step takes more than 0 ms");
  await impatient.close();
});

test("what fails while the state is read ends the trial alone", async () => {
  const job = { ...judging, now: graph.chain.now };
  const broken: HeadState = { ...headState(), read: () => Promise.reject(new Error("the database is gone")) };
  await expect(thread.run("client", job, broken)).rejects.toThrow("the database is gone");
  expect(await thread.run("client", job, headState())).toBe("Failure_Aggregate_Missing_Cosignatures");
});

test("the work of a trial is counted, and bounded", async () => {
  let lookUps = 0;
  const endless = sparseStateOf(state, []).run((startTrial) => {
    const trial = startTrial();
    for (; lookUps < 10_000_000; ++lookUps) trial.hasLock(aggregate.hash);
  });
  await expect(endless).rejects.toThrow("needs more than 2000000 look-ups of the state");
});
