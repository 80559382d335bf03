import { sql } from "kysely";
import { encodeCosignature } from "../../catapult/entity/cosignature.js";
import { sha3 } from "../../catapult/entity/hashes.js";
import type { BlockTransaction } from "../../catapult/entity/model.js";
import type { Db } from "../../database/database.js";
import { pushAgain } from "../../database/mempool/announcements.js";
import { Lifecycle, type PartialRow, type PendingRow, type Rejection } from "./lifecycle.js";
import { insertPending, removePending, updatePartialBodies } from "./pending-rows.js";

/**
 * The known state of transactions, by hash as hex digits. The head row must be locked, so that nothing changes
 * meanwhile.
 */
export async function loadLifecycles(trx: Db, hashes: readonly Buffer[]): Promise<Map<string, Lifecycle>> {
  const unique = [...new Map(hashes.map((hash) => [hash.toString("hex"), hash])).values()];
  if (unique.length === 0) return new Map();
  const given = sql`${unique}::bytea[]`;
  const confirmed = await sql<{ hash: Buffer }>`select hash from transactions where hash = any(${given})`.execute(trx);
  const unconfirmed = await sql<WaitingRow>`
    select hash, id, deadline, addresses, payload,
      array(select decode(c ->> 'signerPublicKey', 'hex')
        from json_array_elements(document::json -> 'transaction' -> 'cosignatures') c) as cosigners
    from unconfirmed_transactions where hash = any(${given})`.execute(trx);
  const partial = await sql<WaitingRow>`
    select hash, id, deadline, addresses, payload from partial_transactions where hash = any(${given})`.execute(trx);
  const cosignatures = await trx
    .selectFrom("partial_cosignatures")
    .selectAll()
    .where(sql<boolean>`hash = any(${given})`)
    .orderBy("position")
    .execute();
  const statuses = await trx
    .selectFrom("transaction_statuses")
    .selectAll()
    .where(sql<boolean>`hash = any(${given})`)
    .execute();
  const awaited = await trx
    .selectFrom("awaited_transactions")
    .selectAll()
    .where(sql<boolean>`hash = any(${given})`)
    .execute();
  const announced = await trx
    .selectFrom("announcements")
    .select(["hash", "kind", "heard_at"])
    .where(sql<boolean>`hash = any(${given})`)
    .execute();

  const confirmedHashes = new Set(confirmed.rows.map(keyOf));
  const unconfirmedByHash = byHash(unconfirmed.rows);
  const partialByHash = byHash(partial.rows);
  const statusByHash = byHash(statuses);
  const awaitedByHash = byHash(awaited);
  const announcedByHash = byHash(announced);
  const lifecycles = new Map<string, Lifecycle>();
  for (const hash of unique) {
    const key = hash.toString("hex");
    const status = statusByHash.get(key);
    const announcement = announcedByHash.get(key);
    const partialRow = partialByHash.get(key);
    const unconfirmedRow = unconfirmedByHash.get(key);
    lifecycles.set(
      key,
      new Lifecycle(hash, {
        confirmed: confirmedHashes.has(key),
        unconfirmed: unconfirmedRow && toWaiting(unconfirmedRow),
        partial: partialRow && {
          ...toWaiting(partialRow),
          payload: partialRow.payload ?? Buffer.alloc(0),
          cosignatures: cosignatures
            .filter((row) => row.hash.equals(hash))
            .map((row) => ({
              version: BigInt(row.version),
              signerPublicKey: row.signer_public_key,
              signature: row.signature,
            })),
        },
        rejection: status && {
          code: status.code,
          deadline: BigInt(status.deadline),
          fromNode: status.from_node,
          recordedAt: status.recorded_at,
        },
        awaited: awaitedByHash.get(key),
        announced: announcement && { kind: announcement.kind, heard: announcement.heard_at !== null },
      }),
    );
  }
  return lifecycles;
}

interface WaitingRow {
  readonly hash: Buffer;
  readonly id: Buffer;
  readonly deadline: number;
  readonly addresses: Buffer[];
  readonly payload: Buffer | null;
  readonly cosigners?: readonly Buffer[];
}

function toWaiting({ id, deadline, addresses, cosigners = [] }: WaitingRow): PendingRow {
  return { number: Number(id.readBigUInt64BE(1)), deadline, addresses, cosigners };
}

/**
 * Writes changed lifecycles since they were loaded.
 * @param now the time of recorded changes
 * @param asCosigned reads a partial transaction with its current cosignatures
 */
export async function storeLifecycles(
  trx: Db,
  lifecycles: Iterable<Lifecycle>,
  now: Date,
  asCosigned: (partial: PartialRow) => BlockTransaction,
): Promise<void> {
  const changed = [...lifecycles].filter((lifecycle) => lifecycle.now !== lifecycle.before);
  for (const group of ["unconfirmed", "partial"] as const) {
    const left = changed.flatMap(({ before, now }) => {
      const was = before[group];
      return was && was.number !== now[group]?.number ? [was.number] : [];
    });
    await removePending(trx, group, left);
  }
  await storeCosignatures(trx, changed);
  for (const group of ["unconfirmed", "partial"] as const) {
    const fresh = changed.flatMap(({ hash, before, now: { unconfirmed, partial } }) => {
      const waiting = group === "partial" ? partial : unconfirmed;
      if (!waiting?.fresh || waiting.number === before[group]?.number) return [];
      const { number, deadline, addresses } = waiting;
      const transaction = group === "partial" && partial ? asCosigned(partial) : waiting.fresh;
      const payload = group === "partial" ? partial?.payload : undefined;
      return [{ hash, number, deadline, addresses, transaction, payload }];
    });
    await insertPending(trx, group, fresh, now);
  }
  await storeRejections(trx, changed);
  await storeAwaited(trx, changed, now);
  await storeReported(trx, changed, now);
  const grown = changed.flatMap(({ before, now: { partial } }) =>
    partial && before.partial?.number === partial.number && partial.cosignatures !== before.partial.cosignatures
      ? [{ number: partial.number, transaction: asCosigned(partial) }]
      : [],
  );
  await updatePartialBodies(trx, grown);
}

async function storeCosignatures(trx: Db, lifecycles: readonly Lifecycle[]): Promise<void> {
  const gone = lifecycles.filter(({ before, now }) => before.partial && before.partial.number !== now.partial?.number);
  if (gone.length > 0) {
    const hashes = gone.map(({ hash }) => hash);
    await trx.deleteFrom("partial_cosignatures").where("hash", "in", hashes).execute();
  }
  const added = lifecycles.flatMap(({ hash, before, now: { partial } }) => {
    const known = before.partial?.number === partial?.number ? (before.partial?.cosignatures.length ?? 0) : 0;
    return (partial?.cosignatures ?? []).slice(known).map((cosignature, index) => ({
      hash,
      position: known + index,
      version: cosignature.version,
      signer_public_key: cosignature.signerPublicKey,
      signature: cosignature.signature,
    }));
  });
  if (added.length > 0) await trx.insertInto("partial_cosignatures").values(added).execute();
}

async function storeRejections(trx: Db, lifecycles: readonly Lifecycle[]): Promise<void> {
  const gone = lifecycles.filter(({ before, now }) => before.rejection && !now.rejection).map(({ hash }) => hash);
  if (gone.length > 0) await trx.deleteFrom("transaction_statuses").where("hash", "in", gone).execute();
  const set = lifecycles.flatMap(({ hash, before, now }) =>
    now.rejection && now.rejection !== before.rejection ? [toStatusRow(hash, now.rejection)] : [],
  );
  if (set.length === 0) return;
  await trx
    .insertInto("transaction_statuses")
    .values(set)
    .onConflict((conflict) =>
      conflict.column("hash").doUpdateSet((excluded) => ({
        code: excluded.ref("excluded.code"),
        deadline: excluded.ref("excluded.deadline"),
        from_node: excluded.ref("excluded.from_node"),
        recorded_at: excluded.ref("excluded.recorded_at"),
      })),
    )
    .execute();
}

function toStatusRow(hash: Buffer, { code, deadline, fromNode, recordedAt }: Rejection) {
  return { hash, code, deadline, from_node: fromNode, recorded_at: recordedAt };
}

async function storeAwaited(trx: Db, lifecycles: readonly Lifecycle[], now: Date): Promise<void> {
  const changed = lifecycles.filter(({ before, now: after }) => before.awaited !== after.awaited);
  const gone = changed.filter(({ before }) => before.awaited).map(({ hash }) => hash);
  if (gone.length > 0) await trx.deleteFrom("awaited_transactions").where("hash", "in", gone).execute();
  const rows = changed.flatMap(({ hash, now: { awaited } }) =>
    awaited ? [{ ...awaited, hash, addresses: [...awaited.addresses], since: now }] : [],
  );
  if (rows.length > 0) await trx.insertInto("awaited_transactions").values(rows).execute();
}

/**
 * Reported transactions need not be announced again, unless nothing is known of them any more: then also a partial
 * aggregate that was announced elsewhere, whose lock is paid for.
 */
async function storeReported(trx: Db, lifecycles: readonly Lifecycle[], now: Date): Promise<void> {
  const announced = lifecycles.filter(({ now: { announced } }) => announced?.heard);
  const isOpen = ({ now: { awaited, rejection } }: Lifecycle) => awaited !== undefined && !rejection;
  const elsewhere = lifecycles.filter((one) => isOpen(one) && one.before.partial && !one.now.announced);
  const open = [...announced.filter(isOpen), ...elsewhere];
  const settled = announced.filter((one) => !isOpen(one)).map(({ hash }) => hash);
  if (settled.length > 0) {
    await sql`
      update announcements set heard_at = coalesce(heard_at, ${now}), next_push_at = null
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
  if (!partial || partial.payload.length === 0) return;
  const { deadline } = partial;
  const cosignatures = partial.cosignatures.map((cosignature) => {
    const payload = Buffer.concat([encodeCosignature(cosignature), hash]);
    return { hash: sha3(payload), payload, kind: "cosignature", parent_hash: hash, deadline } as const;
  });
  const rows = [
    { hash, payload: partial.payload, kind: "partial", parent_hash: null, deadline } as const,
    ...cosignatures,
  ];
  const now = sql<Date>`now()`;
  await trx
    .insertInto("announcements")
    .values(rows.map((row) => ({ ...row, announced_at: now, last_pushed_at: now, pushes: 0, pushed_to: {} })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function byHash<T extends { hash: Buffer | null }>(rows: readonly T[]): Map<string, T> {
  return new Map(rows.map((row) => [keyOf(row), row]));
}

function keyOf({ hash }: { hash: Buffer | null }): string {
  return hash?.toString("hex") ?? "";
}
