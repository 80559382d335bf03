import { describe, expect, test } from "@jest/globals";
import { joinCosignatures, splitCosignatures } from "../../catapult/entity/cosignature.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { NodeResources } from "../../catapult/network/node-resources.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { recordAnnouncement } from "../../database/mempool/announcements.js";
import { readRejections } from "../../database/mempool/rejected-announcements.js";
import type { Change } from "../../indexer/mempool/change.js";
import { writeMempoolStep } from "../../indexer/mempool/mempool-step.js";
import { Announcer } from "../../schema/dry-runs/announcer.js";
import { DryRunThreads } from "../../schema/dry-runs/dry-run-threads.js";
import { DryRuns } from "../../schema/dry-runs/dry-runs.js";
import { NetworkRules } from "../../schema/dry-runs/network-rules.js";
import { ApiError } from "../../schema/errors/errors.js";
import { isRejected, RECORDING, type RecordedAnnouncement, RecordedPlay } from "../ledger/recorded-announcements.js";
import { ChainRecording } from "../support/chain-recording.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { followNode } from "../support/followed-node.js";
import { indexContext } from "../support/index-context.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { RecordedPeer } from "../support/recorded-peer.js";
import { dataPath } from "../support/test-data.js";

/** What the gateway says of an announcement. */
interface Outcome {
  readonly announced: string;
  readonly simulated: string;
}

/** `TEST_ANNOUNCED_EVERY=1` tries all of them. */
const EVERY = Number(process.env.TEST_ANNOUNCED_EVERY ?? 5);

/** What differs, by the number of the announcement. */
const OF_BOTH = {
  // Taken as partial, and dropped at its deadline: no check failed.
  1128: "Failure_Core_Past_Deadline",
  // The recording has no finalization proofs, so the ended lock could still be needed: the node had removed it.
  1560: "Failure_LockHash_Inactive_Hash",
};
const EXPECTED_DIFFERENCES: Readonly<Record<keyof Outcome, Readonly<Record<number, string>>>> = {
  // It was sent right behind its lock: the node rejected it, and the gateway holds it until the lock is in a block.
  announced: { ...OF_BOTH, 630: "held" },
  // After its lock; and it is simulated as partial, whichever way it will be announced.
  simulated: { ...OF_BOTH, 630: "Success", 1224: "Success" },
};
const WAYS = ["announced", "simulated"] as const;

const ANY_NODE = Buffer.alloc(32);

const TABLES = [
  "announcements",
  "rejected_announcements",
  "pending_transactions",
  "pending_transaction_addresses",
  "pending_transaction_mosaics",
  "pending_cosignatures",
] as const;

describe("announcements that a real node rejected", () => {
  test("get its code when they are announced, and when they are simulated; none of them is pushed", async () => {
    const chain = new ChainRecording(RECORDING);
    const play = new RecordedPlay(chain.blocks.map(({ decoded }) => decoded));
    const rejected = play.announcements
      .filter(isRejected)
      .filter(({ seq }, index) => index % EVERY === 0 || EXPECTED_DIFFERENCES.announced[seq] !== undefined);
    const resources = new NodeResources(dataPath(`${RECORDING}/resources`));
    const peer = await RecordedPeer.start(chain, 1);
    const index = await IndexedDatabase.create();
    const node = new NodeClient({ nodes: [peer.address], credentials: clientCredentials, log: silentLog });
    const { db } = index;
    /** Numbers of those that were pushed at the height at which the node rejected them. */
    const pushed: number[] = [];
    let evaluating: RecordedAnnouncement;
    for (const type of [PacketType.pushTransactions, PacketType.pushPartialTransactions]) {
      peer.handlers.set(type, () => {
        if (evaluating.saidAt === peer.height) pushed.push(evaluating.seq);
        return undefined;
      });
    }
    let now = 0;
    const end = new AbortController();
    peer.handlers.set(PacketType.timeSyncNetworkTime, () => {
      const times = Buffer.alloc(16);
      times.writeBigUInt64LE(BigInt(now), 0);
      times.writeBigUInt64LE(BigInt(now), 8);
      return times;
    });

    /** As it was when the node evaluated it: a bonded aggregate that was complete by then with its cosignatures. */
    function evaluated(announcement: RecordedAnnouncement) {
      const payload = Buffer.from(announcement.payload, "hex");
      if (announcement.packet === "partial" && !announcement.after) return { payload, mode: "partial" } as const;
      const cosignatures = announcement.packet === "partial" ? play.cosignaturesOf(announcement) : [];
      const whole =
        cosignatures.length > 0 ? joinCosignatures(splitCosignatures(payload).aggregate, cosignatures) : payload;
      return { payload: whole, mode: "transaction" } as const;
    }

    /** Lets transactions be announced here, and reported by the node. */
    async function bePending(payloads: readonly Buffer[]): Promise<void> {
      for (const table of TABLES) await db.deleteFrom(table).execute();
      const changes: Change[] = [];
      for (const payload of payloads) {
        const transaction = decodeTransaction(payload, chain.network);
        const { hash } = transaction;
        const deadline = Number(transaction.entity.deadline);
        await recordAnnouncement(db, { hash, kind: "transaction", payload, deadline }, ANY_NODE);
        changes.push({ kind: "unconfirmedAdded", hash, pending: { hash, transaction, deadline }, addresses: [] });
      }
      const { signal } = end;
      if (changes.length > 0) await writeMempoolStep(indexContext(db, chain.network), changes, signal);
    }

    const threads = new DryRunThreads();

    async function evaluate(announcement: RecordedAnnouncement): Promise<Outcome> {
      evaluating = announcement;
      now = Math.round(play.networkTime(announcement));
      const pending = play.pendingBeside(announcement);
      await bePending(pending);
      const { payload, mode } = evaluated(announcement);
      const dryRuns = new DryRuns({ node, resources, threads });
      const announcer = new Announcer({ db, node, rules: new NetworkRules(resources), dryRuns });
      const failed = (error: unknown) => {
        if (error instanceof ApiError) return error.message;
        throw error;
      };
      const thrown = await announcer
        .announceTransaction(payload, mode, { client: "any", rejection: "report" })
        .catch(failed);
      const [rejection] = await readRejections(db, 1);
      const isHeld = (await db.selectFrom("announcements").select("hash").where("pushes", "=", 0).execute()).length > 0;
      const simulated = await dryRuns.simulate(db, [...pending, payload], false, "any").catch(failed);
      return {
        announced: rejection?.code ?? thrown ?? (isHeld ? "held" : "pushed"),
        simulated: typeof simulated === "string" ? simulated : simulated.at(-1)!.code,
      };
    }

    const results = new Map<number, Outcome[]>();
    const heights = chain.blocks
      .map(({ decoded }) => decoded.height)
      .filter((height) => rejected.some(({ saidAt = 0 }) => Math.abs(saidAt - height) <= 1));
    const look = async () => {
      for (const one of rejected) {
        const before = results.get(one.seq) ?? [];
        const isSettled = before.some((result) => WAYS.every((way) => result[way] === one.code));
        // The node was up to one block away from the height that its broker had reported.
        if (isSettled || Math.abs((one.saidAt ?? 0) - peer.height) > 1) continue;
        results.set(one.seq, [...before, await evaluate(one)]);
      }
      const next = heights.find((height) => height > peer.height);
      if (next === undefined) end.abort();
      else peer.reveal(next);
    };
    try {
      await followNode(db, node, chain.config, look, end.signal);
    } finally {
      await threads.close();
      await node.close();
      await index.drop();
      await peer.close();
    }
    expect(pushed).toEqual([]);
    for (const way of WAYS) {
      const wrong = rejected.flatMap(({ seq, name, code }) => {
        const found = results.get(seq)!.map((result) => result[way]);
        return found.includes(code!) || EXPECTED_DIFFERENCES[way][seq] === found[1]
          ? []
          : [`${seq} ${name}: ${code}, ${way}: ${found.join(", ")}`];
      });
      expect(wrong).toEqual([]);
    }
  });
});
