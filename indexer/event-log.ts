import { sql } from "kysely";
import { uniqueAddresses } from "../catapult/related-addresses.js";
import type { Db } from "../schema/db/database.js";
import { EVENTS_CHANNEL, type EventAddressTable, type StoredEvent } from "../schema/db/events.js";
import { insertAll } from "./insert.js";

/** An event before it got its sequence. */
export type NewEvent = Omit<StoredEvent, "sequence">;

/**
 * Gives events their sequences behind `sequence`, and wakes the listeners when the transaction commits. The head row must
 * be locked, and takes the sequence of the last one, which is returned.
 */
export async function writeEvents(trx: Db, events: readonly NewEvent[], sequence: number): Promise<number> {
  if (events.length === 0) return sequence;
  const numbered = events.map((event, index) => ({ ...event, sequence: sequence + 1 + index }));
  await insertAll(trx, "events", numbered);
  await insertAll(trx, "event_addresses", numbered.flatMap(addressesOf));
  const newest = sequence + events.length;
  await sql`select pg_notify(${EVENTS_CHANNEL}, ${String(newest)})`.execute(trx);
  return newest;
}

function addressesOf({ sequence, channel, addresses }: StoredEvent): EventAddressTable[] {
  return uniqueAddresses(addresses).map((address) => ({ address, channel, sequence }));
}
