import { beforeAll, describe, expect, test } from "@jest/globals";
import { codeOfField } from "../../catapult/announcement/announcement-error.js";
import { joinCosignatures, splitCosignatures } from "../../catapult/entity/cosignature.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import type { BlockTransaction } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { checkTransaction } from "../../catapult/verify/check-transaction.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { ChainRecording } from "../support/chain-recording.js";
import { isRejected, RECORDING, type RecordedAnnouncement, RecordedPlay } from "./recorded-announcements.js";
import { sparseStateOf } from "./sparse-state-of.js";

/** Locks and namespaces that ended this long ago had been removed by the node. */
const FINAL_AFTER_BLOCKS = 60;
/** The node was up to one block away from the height that its broker had reported. */
const HEIGHTS_AROUND = [0, 1, -1];

/** What a dry run cannot say, by the number of the announcement. */
const EXPECTED_DIFFERENCES = new Map([
  // Taken as partial, and dropped at its deadline: no check failed.
  [1128, "Failure_Extension_Partial_Transaction_Cache_Prune, tried: Failure_Core_Past_Deadline"],
]);

interface Outcome {
  readonly height: number;
  readonly code: string;
}

describe("announcements that a real node rejected, in a dry run on the state of its chain", () => {
  let chain: ChainRecording;
  let play: RecordedPlay;
  const results = new Map<number, Outcome[]>();

  beforeAll(async () => {
    chain = new ChainRecording(RECORDING);
    const blocks = chain.blocks.map(({ decoded }) => decoded);
    play = new RecordedPlay(blocks);
    const state = new ChainState(chain.config);
    for (const block of blocks) {
      state.execute(block);
      state.finalize(Math.max(0, block.height - FINAL_AFTER_BLOCKS), 0);
      for (const announcement of play.announcements) {
        const { saidAt = 0, seq } = announcement;
        if (!isRejected(announcement) || Math.abs(saidAt - block.height) > 1) continue;
        const code = await evaluate(state, announcement);
        results.set(seq, [...(results.get(seq) ?? []), { height: block.height, code }]);
      }
    }
  });

  test("have the node's code", () => {
    const rejected = play.announcements.filter(isRejected);
    const wrong = rejected.flatMap((one) => {
      const found = HEIGHTS_AROUND.map((away) => codeAt(one, away));
      if (found.includes(one.code)) return [];
      const difference = `${one.code}, tried: ${found[0]}`;
      return EXPECTED_DIFFERENCES.get(one.seq) === difference ? [] : [`${one.seq} ${one.name}: ${difference}`];
    });
    expect(wrong).toEqual([]);
    expect(rejected.length).toBe(510);
  });

  function codeAt({ seq, saidAt = 0 }: RecordedAnnouncement, away: number): string | undefined {
    return results.get(seq)?.find(({ height }) => height === saidAt + away)?.code;
  }

  async function evaluate(state: ChainState, announcement: RecordedAnnouncement): Promise<string> {
    const { packet, payload, after } = announcement;
    const now = play.networkTime(announcement);
    const announced = read(Buffer.from(payload, "hex"));
    if (typeof announced === "string") return announced;
    const others = play.pendingBeside(announcement).map(read) as BlockTransaction[];
    const pending = others.filter(({ hash }) => !state.isConfirmed(hash));
    const known = sparseStateOf(state, [announced, ...pending]);
    if (packet === "partial" && !after) {
      const bare = read(splitCosignatures(announced.bytes).aggregate) as BlockTransaction;
      return (await known.run((startDryRun) => startDryRun().checkPartial(bare, now))) ?? "success";
    }
    const cosignatures = packet === "partial" ? play.cosignaturesOf(announcement) : [];
    const transaction = cosignatures.length > 0 ? read(joinCosignatures(announced.bytes, cosignatures)) : announced;
    if (typeof transaction === "string") return transaction;
    const stateless = state.checkStateless(transaction) ?? signatureFailure(transaction);
    if (stateless) return stateless;
    const failure = await known.run((startDryRun) => {
      const dryRun = startDryRun();
      for (const one of pending) dryRun.add(one, now);
      return dryRun.add(transaction, now);
    });
    return failure ?? "success";
  }

  /** A transaction, or the code of what cannot be one. */
  function read(bytes: Buffer): BlockTransaction | string {
    try {
      return decodeTransaction(bytes, chain.network);
    } catch (error) {
      return (error instanceof EntityError && codeOfField(error.field)) || String(error);
    }
  }

  function signatureFailure(transaction: BlockTransaction): string | undefined {
    try {
      checkTransaction(transaction, chain.network);
      return undefined;
    } catch (error) {
      return (error instanceof EntityError && codeOfField(error.field)) || String(error);
    }
  }
});
