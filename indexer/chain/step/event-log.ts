import { sql } from "kysely";
import { uniqueAddresses } from "../../../catapult/entity/related-addresses.js";
import type { Db } from "../../../database/database.js";
import type { StoredEvent } from "../../../database/queries/events.js";
import { EVENTS_CHANNEL, type EventAddressTable } from "../../../database/tables/events.js";
import { insertAll } from "./insert.js";

/** An event before it has its sequence. */
export type NewEvent = Omit<StoredEvent, "sequence">;

const PORTION = 500;

/**
 * Assigns events their sequences after `sequence`, and notifies the listeners when the transaction commits. The head
 * row must be locked, and receives the sequence of the last one, which is returned.
 */
export async function writeEvents(trx: Db, events: Iterable<NewEvent>, sequence: number): Promise<number> {
  let newest = sequence;
  let portion: StoredEvent[] = [];
  for (const event of events) {
    newest += 1;
    portion.push({ ...event, sequence: newest });
    if (portion.length < PORTION) continue;
    await insertEvents(trx, portion);
    portion = [];
  }
  if (newest === sequence) return sequence;
  await insertEvents(trx, portion);
  await sql`select pg_notify(${EVENTS_CHANNEL}, ${String(newest)})`.execute(trx);
  return newest;
}

async function insertEvents(trx: Db, events: readonly StoredEvent[]): Promise<void> {
  await insertAll(trx, "events", events);
  await insertAll(trx, "event_addresses", events.flatMap(addressesOf));
}

function addressesOf({ sequence, channel, addresses }: StoredEvent): EventAddressTable[] {
  return uniqueAddresses(addresses).map((address) => ({ address, channel, sequence }));
}
