import type { Db } from "../database.js";
import { originOf, readRows } from "../lists/operation-db.js";
import { bytesAt, integerAt, nextStart } from "../rows.js";
import { sql } from "../sql.js";

/** Everything that a response from blocks and state depends on. */
export interface ServedPoint {
  /** Of the head. */
  readonly hash: Buffer;
  readonly finalizedEpoch: number;
  readonly finalizedPoint: number;
  /** No state entry is pending, so none changes until the head moves. */
  readonly isStateSettled: boolean;
  /** Whether all of this stays as it is for {@link LEASE_MS} from before it was read. */
  readonly hasLease: boolean;
}

/** How long a point that was read with a lease may be used without reading it again, in ms: see `0017-head-leases`. */
export const LEASE_MS = 4;

/** Read for almost every request: the text is created once. With a parameter, so that it is prepared. */
const SERVED_POINT = sql`
  select hash, finalized_epoch, finalized_point, is_state_settled::int4, has_lease::int4
  from served_point() where ${true} and hash is not null`;

/** The head and whether the state is as of it, from one snapshot; undefined before the first block was written. */
export async function readServedPoint(db: Db): Promise<ServedPoint | undefined> {
  const [point] = (await readRows(db, SERVED_POINT)).map((bytes, hash) => {
    const epoch = nextStart(bytes, hash);
    const finalizedPoint = nextStart(bytes, epoch);
    const isStateSettled = nextStart(bytes, finalizedPoint);
    return {
      hash: bytesAt(bytes, hash)!,
      finalizedEpoch: integerAt(bytes, epoch)!,
      finalizedPoint: integerAt(bytes, finalizedPoint)!,
      isStateSettled: integerAt(bytes, isStateSettled) === 1,
      hasLease: integerAt(bytes, nextStart(bytes, isStateSettled)) === 1,
    };
  });
  return point;
}

/** Databases whose state is known to be complete: it stays complete. */
const whole = new WeakSet<Db>();

/**
 * Whether the state was ever complete: before that, a missing entry is meaningless. Queries the database until it
 * was.
 */
export async function isStateThere(db: Db): Promise<boolean> {
  if (whole.has(originOf(db))) return true;
  const head = await db.selectFrom("head").select("state_height").executeTakeFirst();
  if (head?.state_height == null) return false;
  whole.add(originOf(db));
  return true;
}
