import type { NetworkIdentity } from "../../catapult/model.js";
import type { StatusName } from "../../catapult/status-code.js";
import { decodeTransaction } from "../../catapult/transaction.js";
import type { Db } from "../../schema/db/database.js";
import { type NewEvent, writeEvents } from "../event-log.js";
import type { AddressBook } from "./address-book.js";
import { concernedByChanges } from "./addresses.js";
import type { Change } from "./change.js";
import { cosignedPayload, type Life, type Telling, type WaitingPartial } from "./life.js";
import { loadLives, storeLives } from "./life-store.js";
import { asPartialAggregate } from "./pending-transaction.js";

export interface MempoolStepOptions {
  readonly db: Db;
  readonly network: NetworkIdentity;
  readonly addressBook: AddressBook;
}

/** What a transaction ends with whose deadline is over. */
const PAST_DEADLINE: StatusName = "Failure_Core_Past_Deadline";
/** What an announcement ends with of which the node never spoke: it neither took nor refused it. */
const NOT_TAKEN: StatusName = "Neutral";

/**
 * Lets changes happen, in order, in one database transaction with their events. The head row is locked, as a step of
 * blocks does it, so that events have one sequence, and nothing is confirmed or reverted meanwhile.
 * @returns additions of transactions that stand in a block by what the index knows
 */
export async function writeMempoolStep(options: MempoolStepOptions, changes: readonly Change[]): Promise<Change[]> {
  if (changes.length === 0) return [];
  return options.db.transaction().execute(async (trx) => {
    const head = await trx
      .selectFrom("head")
      .select(["height", "event_sequence"])
      .forUpdate()
      .executeTakeFirstOrThrow();
    const lives = await loadLives(
      trx,
      changes.map(({ hash }) => hash),
    );
    const addresses = await concernedByChanges(trx, changes, options.addressBook);
    const events: NewEvent[] = [];
    const telling: Telling = {
      now: new Date(),
      tell: (channel, concerned, data) => {
        events.push({ channel, height: head.height, addresses: [...concerned], data });
        return head.event_sequence + events.length;
      },
      asPartial: (aggregate) => asPartialAggregate(aggregate, options.network),
    };
    const confirmed: Change[] = [];
    for (const change of changes) {
      const life = lives.get(change.hash.toString("hex"));
      if (life && !apply(life, change, addresses.get(change) ?? [], telling)) confirmed.push(change);
    }
    await storeLives(trx, lives.values(), telling.now, (partial) => readCosigned(partial, options.network));
    const newest = await writeEvents(trx, events, head.event_sequence);
    if (newest !== head.event_sequence) await trx.updateTable("head").set({ event_sequence: newest }).execute();
    return confirmed;
  });
}

/** A partial transaction with the cosignatures that it has by now, as its REST body shows it. */
export function readCosigned(partial: WaitingPartial, network: NetworkIdentity) {
  const transaction = decodeTransaction(cosignedPayload(partial), network, { unhashedBytes: "clear" });
  return { ...transaction, merkleComponentHash: Buffer.alloc(32) };
}

/** @returns false when the change is an addition of what is confirmed */
function apply(life: Life, change: Change, addresses: readonly Buffer[], telling: Telling): boolean {
  switch (change.kind) {
    case "unconfirmedAdded":
      return life.addUnconfirmed(change.pending, addresses, telling);
    case "partialAdded":
      return life.addPartial(change.pending, addresses, telling);
    case "cosignatureAdded":
      life.addCosignature(change.cosignature, telling);
      return true;
    case "unconfirmedRemoved":
      life.remove("unconfirmed", telling);
      return true;
    case "partialRemoved":
      life.remove("partial", telling);
      return true;
    case "refused":
      life.refuse(change.code, change.deadline, change.addresses, telling);
      return true;
    case "expired":
      life.expire(PAST_DEADLINE, telling);
      return true;
    case "notTaken":
      life.giveUp(NOT_TAKEN, change.deadline, change.addresses, telling);
      return true;
  }
}
