import { sql } from "kysely";
import { decodeCosignature, encodeCosignature } from "../../catapult/entity/cosignature.js";
import { sha3 } from "../../catapult/entity/hashes.js";
import type { PendingGroup } from "../../catapult/structs/transaction.js";
import type { Db } from "../../database/database.js";
import { pushAgain } from "../../database/mempool/announcements.js";
import { insertAll } from "../chain/step/insert.js";
import { Lifecycle, type PartialRow, type PendingRow, type Rejection } from "./lifecycle.js";
import { insertCosignatures, insertPending, removePending } from "./pending-rows.js";

/**
 * The known state of transactions, by hash as hex digits. The head row must be locked, so that nothing changes
 * meanwhile.
 */
export async function loadLifecycles(trx: Db, hashes: readonly Buffer[]): Promise<Map<string, Lifecycle>> {
  const unique = [...new Map(hashes.map((hash) => [hash.toString("hex"), hash])).values()];
  if (unique.length === 0) return new Map();
  const isOne = sql<boolean>`hash = any(${unique}::bytea[])`;
  const confirmed = byHash(await trx.selectFrom("transactions").select("hash").where(isOne).execute());
  const { rows: pending } = await sql<WaitingRow>`
    select "group", hash, id, deadline, addresses, payload,
      array(select c.cosignature from pending_cosignatures c where c.id = t.id order by c.position) as cosignatures
    from pending_transactions t where ${isOne}`.execute(trx);
  const statuses = byHash(await trx.selectFrom("transaction_statuses").selectAll().where(isOne).execute());
  const awaited = byHash(await trx.selectFrom("awaited_transactions").selectAll().where(isOne).execute());
  const announced = byHash(
    await trx.selectFrom("announcements").select(["hash", "kind", "reported_at"]).where(isOne).execute(),
  );
  const ofGroup = (of: PendingGroup) => byHash(pending.filter(({ group }) => group === of));
  const [unconfirmed, partial] = [ofGroup("unconfirmed"), ofGroup("partial")];
  const lifecycles = new Map<string, Lifecycle>();
  for (const hash of unique) {
    const key = hash.toString("hex");
    const [waiting, incomplete] = [unconfirmed.get(key), partial.get(key)];
    const status = statuses.get(key);
    const announcement = announced.get(key);
    const known = {
      confirmed: confirmed.has(key),
      unconfirmed: waiting && toWaiting(waiting),
      partial: incomplete && toWaiting(incomplete),
      rejection: status && {
        code: status.code,
        deadline: BigInt(status.deadline),
        fromNode: status.from_node,
        recordedAt: status.recorded_at,
      },
      awaited: awaited.get(key),
      announced: announcement && { kind: announcement.kind, isReported: announcement.reported_at !== null },
    };
    lifecycles.set(key, new Lifecycle(hash, known));
  }
  return lifecycles;
}

interface WaitingRow {
  readonly group: PendingGroup;
  readonly hash: Buffer;
  readonly id: Buffer;
  readonly deadline: number;
  readonly addresses: Buffer[];
  readonly payload: Buffer;
  readonly cosignatures: readonly Buffer[];
}

function toWaiting({ id, deadline, addresses, payload, cosignatures }: WaitingRow): PartialRow {
  const number = Number(id.readBigUInt64BE(1));
  return { number, deadline, addresses, payload, cosignatures: cosignatures.map(decodeCosignature) };
}

const GROUPS = ["unconfirmed", "partial"] as const;

/**
 * Writes changed lifecycles since they were loaded.
 * @param now the time of recorded changes
 */
export async function storeLifecycles(trx: Db, lifecycles: Iterable<Lifecycle>, now: Date): Promise<void> {
  const changed = [...lifecycles].filter((lifecycle) => lifecycle.now !== lifecycle.before);
  const left = eachGroup(changed, (before, after) =>
    before && before.number !== after?.number ? before.number : undefined,
  );
  await removePending(trx, left);
  const fresh = eachGroup(changed, (before, after, hash, group) => {
    if (!after?.fresh || after.number === before?.number) return undefined;
    return { ...after, hash, group, transaction: after.fresh };
  });
  await insertPending(trx, fresh, now);
  const cosigned = eachGroup(changed, (before, after) => {
    const known = before?.number === after?.number ? (before?.cosignatures.length ?? 0) : 0;
    return after && { number: after.number, from: known, cosignatures: after.cosignatures.slice(known) };
  });
  await insertCosignatures(trx, cosigned);
  await storeRejections(trx, changed);
  await storeAwaited(trx, changed, now);
  await storeReported(trx, changed, now);
}

/** What follows from the rows of a group before and now, of all lifecycles. */
function eachGroup<Value>(
  lifecycles: readonly Lifecycle[],
  of: (
    before: PendingRow | undefined,
    now: PendingRow | undefined,
    hash: Buffer,
    group: PendingGroup,
  ) => Value | undefined,
): Value[] {
  return lifecycles.flatMap(({ hash, before, now }) =>
    GROUPS.flatMap((group) => of(before[group], now[group], hash, group) ?? []),
  );
}

async function storeRejections(trx: Db, lifecycles: readonly Lifecycle[]): Promise<void> {
  const changed = lifecycles.filter(({ before, now }) => before.rejection !== now.rejection);
  await deleteRows(trx, "transaction_statuses", changed);
  const rows = changed.flatMap(({ hash, now: { rejection } }) => (rejection ? [toStatusRow(hash, rejection)] : []));
  await insertAll(trx, "transaction_statuses", rows);
}

function toStatusRow(hash: Buffer, { code, deadline, fromNode, recordedAt }: Rejection) {
  return { hash, code, deadline, from_node: fromNode, recorded_at: recordedAt };
}

async function storeAwaited(trx: Db, lifecycles: readonly Lifecycle[], now: Date): Promise<void> {
  const changed = lifecycles.filter(({ before, now: after }) => before.awaited !== after.awaited);
  await deleteRows(trx, "awaited_transactions", changed);
  const rows = changed.flatMap(({ hash, now: { awaited } }) =>
    awaited ? [{ ...awaited, hash, addresses: [...awaited.addresses], since: now }] : [],
  );
  await insertAll(trx, "awaited_transactions", rows);
}

async function deleteRows(
  trx: Db,
  table: "transaction_statuses" | "awaited_transactions",
  lifecycles: readonly Lifecycle[],
): Promise<void> {
  const hashes = lifecycles.map(({ hash }) => hash);
  if (hashes.length > 0) await trx.deleteFrom(table).where("hash", "in", hashes).execute();
}

/**
 * Reported transactions need not be announced again, unless nothing is known of them any more: then also a partial
 * aggregate that was announced elsewhere, whose lock is paid for.
 */
async function storeReported(trx: Db, lifecycles: readonly Lifecycle[], now: Date): Promise<void> {
  const announced = lifecycles.filter(({ now: { announced } }) => announced?.isReported);
  const isOpen = ({ now: { awaited, rejection } }: Lifecycle) => awaited !== undefined && !rejection;
  const elsewhere = lifecycles.filter((one) => isOpen(one) && one.before.partial && !one.now.announced);
  const open = [...announced.filter(isOpen), ...elsewhere];
  const settled = announced.filter((one) => !isOpen(one)).map(({ hash }) => hash);
  if (settled.length > 0) {
    await sql`
      update announcements set reported_at = coalesce(reported_at, ${now}), state = 'reported', next_push_at = null
      where hash = any(${settled}::bytea[])`.execute(trx);
  }
  if (open.length === 0) return;
  for (const lifecycle of open) await keepForgotten(trx, lifecycle);
  await pushAgain(
    trx,
    open.map(({ hash }) => hash),
  );
}

/** An aggregate that the node forgot and its cosignatures, also those that were announced elsewhere, are announced again. */
async function keepForgotten(trx: Db, { hash, before: { partial } }: Lifecycle): Promise<void> {
  if (!partial) return;
  const { deadline } = partial;
  const cosignatures = partial.cosignatures.map((cosignature) => {
    const payload = Buffer.concat([encodeCosignature(cosignature), hash]);
    return { hash: sha3(payload), payload, kind: "cosignature", parent_hash: hash, deadline } as const;
  });
  const aggregate = { hash, payload: partial.payload, kind: "partial", parent_hash: null, deadline } as const;
  const now = sql<Date>`now()`;
  const pushed = { announced_at: now, last_pushed_at: now, pushes: 0, state: "reported", pushed_to: {} } as const;
  await trx
    .insertInto("announcements")
    .values([aggregate, ...cosignatures].map((row) => ({ ...row, ...pushed })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function byHash<T extends { readonly hash: Buffer | null }>(rows: readonly T[]): Map<string, T> {
  return new Map(rows.map((row) => [row.hash?.toString("hex") ?? "", row]));
}
