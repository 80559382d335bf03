import type { Insertable } from "kysely";
import type { BlockTransaction, EmbeddedTransaction, VerifiedBlock } from "../../../catapult/entity/model.js";
import { decodeEntityId, encodeEntityId } from "../../../catapult/json/entity-id.js";
import type { StateKind } from "../../../catapult/state/kind.js";
import { ETERNAL_HEIGHT } from "../../../catapult/state/namespace.js";
import type { StateByKind } from "../../../catapult/state/state.js";
import type { Db } from "../../../database/database.js";
import { idKey } from "../../../database/lists/collections.js";
import type { NamespaceRegistrationTable } from "../../../database/tables/state.js";

const CHILD = 1;

type Row = Insertable<NamespaceRegistrationTable>;

/** The registrations of namespaces in a block, including embedded ones. */
export function registrationRows(block: VerifiedBlock): Row[] {
  const rows: Row[] = [];
  for (const transaction of block.transactions) {
    addRegistration(rows, transaction, encodeEntityId(block.height, transaction.index));
    for (const embedded of transaction.embedded) {
      addRegistration(rows, embedded, encodeEntityId(block.height, transaction.index, embedded.index + 1));
    }
  }
  return rows;
}

function addRegistration(rows: Row[], { entity }: BlockTransaction | EmbeddedTransaction, id: Buffer): void {
  if (entity.kind !== "namespace_registration") return;
  const isChild = entity.registrationType === CHILD;
  rows.push({
    id,
    namespace_id: idKey(entity.id),
    parent_id: isChild ? idKey(entity.durationOrParentId) : null,
    // Nodes accept a few characters only; PostgreSQL would reject a zero byte in a text.
    name: entity.name.toString("utf8").replaceAll("\0", "\u{fffd}"),
    duration: isChild ? null : entity.durationOrParentId,
  });
}

/** A root's registration: in which block, for how many blocks. */
interface RootRegistration {
  readonly height: number;
  readonly duration: bigint;
}

/** The heights at which earlier registrations of a root namespace ended. */
export type EarlierEnds = (root: StateByKind["namespace"]) => number[];

/** Reads what `earlierEndHeights` needs of these states, if they are of namespaces. */
export async function readEarlierEnds(
  db: Db,
  kind: StateKind,
  states: readonly StateByKind[StateKind][],
): Promise<EarlierEnds> {
  const found = new Map<bigint, RootRegistration[]>();
  const roots = kind === "namespace" ? (states as StateByKind["namespace"][]).map(({ id }) => idKey(id)) : [];
  if (roots.length === 0) return () => [];
  const rows = await db
    .selectFrom("namespace_registrations")
    .select(["id", "namespace_id", "duration"])
    .where("namespace_id", "in", roots)
    .where("parent_id", "is", null)
    .orderBy("id")
    .execute();
  for (const row of rows) {
    const rootId = row.namespace_id.readBigUInt64BE();
    const one = { height: decodeEntityId(row.id).height, duration: BigInt(row.duration ?? 0) };
    found.set(rootId, [...(found.get(rootId) ?? []), one]);
  }
  return (root) => earlierEndHeights(root, found.get(root.id) ?? []);
}

/**
 * End heights of a root's registrations before its current one: a renewal counts as a registration, and extends the
 * end of what it renews; a registration after that end starts anew. The grace period is part of every end, and
 * follows from the current one.
 */
function earlierEndHeights(root: StateByKind["namespace"], registrations: readonly RootRegistration[]): number[] {
  if (root.endHeight === ETERNAL_HEIGHT) return [];
  const first = registrations.findIndex(({ height }) => height >= root.startHeight);
  if (first < 0) return [];
  const duration = registrations.slice(first).reduce((sum, one) => sum + one.duration, 0n);
  const grace = root.endHeight - BigInt(root.startHeight) - duration;
  const ends: bigint[] = [];
  let end = 0n;
  for (const [index, one] of registrations.entries()) {
    const isRenewal = index !== first && end > BigInt(one.height);
    end = isRenewal ? end + one.duration : BigInt(one.height) + one.duration + grace;
    ends.push(end);
  }
  return ends
    .slice(0, -1)
    .map(Number)
    .filter((height) => Number.isSafeInteger(height));
}
