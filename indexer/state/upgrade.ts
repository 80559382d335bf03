import type { Logger } from "pino";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import type { Db } from "../../database/database.js";
import { addPending } from "./pending.js";
import { registrationRows, writeRegistrations } from "./registrations.js";
import { addKeysOfBlocks, storedBlocks, type TouchOptions } from "./touched.js";

/**
 * Records the changed state keys of blocks that were written before this database had tables of state, from the
 * stored bytes: the keys are queued to be read, and the registrations of namespaces are inserted. Does nothing if all
 * are recorded. Stops early, to continue another time, when `signal` is aborted.
 */
export async function noteTouchedKeys(
  options: TouchOptions & { readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const { db, network, log } = options;
  const { height, touched_height: noted } = await readNoted(db);
  if (noted >= height) return;
  log.info({ from: noted + 1, to: height }, "Recording the state changes of blocks from an older version");
  for await (const blocks of storedBlocks(db, network, noted + 1, height)) {
    const last = blocks.at(-1);
    if (signal.aborted || !last) return;
    const keys = new StateKeySet();
    await addKeysOfBlocks(keys, blocks, options);
    await db.transaction().execute(async (trx) => {
      await addPending(trx, [...keys], last.height);
      await writeRegistrations(trx, blocks.flatMap(registrationRows));
      await trx.updateTable("head").set({ touched_height: last.height }).execute();
    });
    log.info({ height: last.height, to: height }, "Recorded the state changes of all blocks");
  }
}

async function readNoted(db: Db): Promise<{ readonly height: number; readonly touched_height: number }> {
  return db.selectFrom("head").select(["height", "touched_height"]).executeTakeFirstOrThrow();
}
