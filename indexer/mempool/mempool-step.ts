import { sql } from "kysely";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import type { PendingGroup } from "../../catapult/structs/transaction.js";
import type { Db } from "../../database/database.js";
import { takeRejections } from "../../database/mempool/rejected-announcements.js";
import { type NewEvent, writeEvents } from "../chain/step/event-log.js";
import type { IndexContext } from "../chain/step/index-context.js";
import { concernedByChanges } from "./addresses.js";
import type { Change } from "./change.js";
import { transactWithKnownOutcome } from "./known-outcome.js";
import type { Lifecycle, LifecycleContext } from "./lifecycle.js";
import { loadLifecycles, storeLifecycles } from "./lifecycle-store.js";

/** Where changes are written. */
export type MempoolContext = Pick<IndexContext, "db" | "network" | "tellsCosigners" | "limits">;

/**
 * Applies changes, in order, in one database transaction with their events. The head row is locked, as for a step of
 * blocks, so that events have one sequence, and nothing is confirmed or reverted meanwhile.
 * @param signal ends the wait for a database of which it is unknown whether it has committed
 * @returns additions of transactions that are in a block of the index, and the number of those that were skipped, because
 *   too many transactions are pending
 */
export async function writeMempoolStep(
  { db, network, tellsCosigners, limits }: MempoolContext,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<{ readonly confirmed: readonly Change[]; readonly tooMany: number }> {
  const confirmed: Change[] = [];
  let tooMany = 0;
  if (changes.length === 0) return { confirmed, tooMany };
  // A status is emitted each time that the node sends one, so a written step must not be repeated.
  await transactWithKnownOutcome(db, signal, async (trx) => {
    const head = await trx
      .selectFrom("head")
      .select(["height", "event_sequence"])
      .forUpdate()
      .executeTakeFirstOrThrow();
    const rejections = await takeRejections(
      trx,
      changes.flatMap((change) => (change.kind === "rejected" ? [change.id] : [])),
    );
    const lifecycles = await loadLifecycles(
      trx,
      changes.map(({ hash }) => hash),
    );
    const room = await readRoom(trx, changes, limits.maxPending);
    const addresses = await concernedByChanges(trx, changes);
    const events: NewEvent[] = [];
    const context: LifecycleContext = {
      now: new Date(),
      emit: (channel, concerned, data) => {
        events.push({ channel, height: head.height, addresses: [...concerned], data });
        return head.event_sequence + events.length;
      },
      network,
      addressesOf: (cosigners) =>
        tellsCosigners ? cosigners.map((publicKey) => addressOfPublicKey(publicKey, network.identifier)) : [],
    };
    for (const change of changes) {
      const lifecycle = lifecycles.get(change.hash.toString("hex"));
      // One that is gone was reported before.
      if (!lifecycle || (change.kind === "rejected" && !rejections.has(change.id))) continue;
      const group = groupOfAddition(change);
      const isNew = group !== undefined && !lifecycle.now[group];
      if (isNew && room[group] <= 0) tooMany += 1;
      else if (apply(lifecycle, change, addresses.get(change) ?? [], context) === false) confirmed.push(change);
      else if (isNew) room[group] -= 1;
    }
    await storeLifecycles(trx, lifecycles.values(), context.now);
    const newest = await writeEvents(trx, events, head.event_sequence);
    if (newest !== head.event_sequence) await trx.updateTable("head").set({ event_sequence: newest }).execute();
  });
  return { confirmed, tooMany };
}

/** The group that a transaction is added to; undefined if that is not what happened to it. */
function groupOfAddition({ kind }: Change): PendingGroup | undefined {
  if (kind === "partialAdded") return "partial";
  return kind === "unconfirmedAdded" ? "unconfirmed" : undefined;
}

/** How many more transactions may be pending, per group that is added to. */
async function readRoom(trx: Db, changes: readonly Change[], max: number): Promise<Record<PendingGroup, number>> {
  const room = { unconfirmed: 0, partial: 0 };
  for (const group of ["unconfirmed", "partial"] as const) {
    if (!changes.some(({ kind }) => kind === `${group}Added`)) continue;
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (
        select from pending_transactions where "group" = ${group} and not embedded limit ${max}) t`.execute(trx);
    room[group] = max - (rows[0]?.count ?? 0);
  }
  return room;
}

/** @returns false when it was added, and is confirmed */
function apply(lifecycle: Lifecycle, change: Change, addresses: readonly Buffer[], context: LifecycleContext): unknown {
  switch (change.kind) {
    case "unconfirmedAdded":
      return lifecycle.addUnconfirmed(change.pending, addresses, context);
    case "partialAdded":
      return lifecycle.addPartial(change.pending, addresses, context);
    case "cosignatureAdded":
      return lifecycle.addCosignature(change.cosignature, context);
    case "unconfirmedRemoved":
      return lifecycle.remove("unconfirmed", context);
    case "partialRemoved":
      return lifecycle.remove("partial", context);
    case "rejectedByNode":
      return lifecycle.rejectByNode(change.code, change.deadline, addresses, context);
    case "rejected":
      return lifecycle.rejectByGateway(change.code, change.deadline, addresses, context);
    case "settled":
      return lifecycle.settle(context);
    case "expired":
      return lifecycle.expire(context);
    case "missing":
      return lifecycle.miss(change.deadline, addresses, context);
    case "notTaken":
      return lifecycle.giveUp(change.deadline, addresses, context);
  }
}
