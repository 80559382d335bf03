import { sql } from "kysely";
import type { Db } from "../database.js";
import type { EventChannel } from "../tables/events.js";

export interface StoredEvent {
  readonly sequence: number;
  readonly channel: EventChannel;
  readonly height: number;
  readonly addresses: Buffer[];
  readonly data: string;
}

/** A subscription target: a channel, or those of its events that concern one address. */
export interface EventTopic {
  readonly channel: EventChannel;
  /** 24 bytes as in transactions: an alias is a different address than its target. */
  readonly address?: Buffer | undefined;
}

/** Some events of a log, and the range of the log when they were read. */
export interface EventExcerpt {
  readonly events: StoredEvent[];
  /** Whether the log contains more than the limits allow. */
  readonly isCut: boolean;
  /** Sequence of the oldest retained event; of the next one if there are none. */
  readonly oldest: number;
  /** Sequence of the newest event, 0 before the first. */
  readonly newest: number;
}

/** How many events are read at once: at least one, then as many as both limits allow. */
export interface EventLimits {
  readonly count: number;
  /** Total size. */
  readonly bytes: number;
}

/** Size of a row in bytes: an address takes more in memory than in the database. */
const SIZE = sql<number>`(octet_length(e.data) + 64 * cardinality(e.addresses))`;

/** Events after `sequence`, in order. */
export async function readEvents(db: Db, sequence: number, limits: EventLimits): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select sequence, channel, height, addresses, data
    from (
      select *, sum(${SIZE}) over (order by sequence) - ${SIZE} as bytes_before
      from (select * from events where sequence > ${sequence}::int8 order by sequence limit ${limits.count}) e
    ) measured
    where bytes_before = 0 or bytes_before < ${limits.bytes}::int8
    order by sequence`.execute(db);
  return rows;
}

/** The oldest retained event, or the next one if there are none; and the newest one, 0 before the first. */
export async function readEventRange(db: Db): Promise<Pick<EventExcerpt, "oldest" | "newest">> {
  const { rows } = await sql<Pick<EventExcerpt, "oldest" | "newest">>`
    select event_sequence as newest, coalesce((select min(sequence) from events), event_sequence + 1) as oldest
    from head`.execute(db);
  return rows[0] ?? { oldest: 1, newest: 0 };
}

/** Events of any of the topics from the sequence `from` on, in order. */
export async function findEvents(
  db: Db,
  topics: readonly EventTopic[],
  from: number,
  { count: limit, bytes }: EventLimits,
): Promise<EventExcerpt> {
  const channels = [...new Set(topics.flatMap(({ channel, address }) => (address ? [] : [channel])))];
  const addressed = topics.flatMap(({ channel, address }) => (address ? [{ channel, address }] : []));
  type Row = { oldest: number; newest: number; found_count: number } & (StoredEvent | { sequence: null });
  // Each topic's first events come from an index in order, so the cost does not grow with the log. Compared as rows,
  // because otherwise the planner may walk the log by sequence until it has found enough rare events.
  const { rows } = await sql<Row>`
    select log.oldest, log.newest, found.sequence, found.channel, found.height, found.addresses, found.data, found.found_count
    from (
      select event_sequence as newest,
        coalesce((select min(sequence) from events), event_sequence + 1) as oldest from head
    ) log
    left join lateral (
      select e.sequence, e.channel, e.height, e.addresses, e.data, count(*) over () as found_count,
        sum(${SIZE}) over (order by e.sequence) - ${SIZE} as bytes_before
      from (
        select own.sequence from unnest(${channels}::text[]) topic (channel) cross join lateral (
          select sequence from events
          where (channel, sequence) >= (topic.channel, ${from}::int8) and channel <= topic.channel
          order by channel, sequence limit ${limit}
        ) own
        union
        select own.sequence
        from unnest(${addressed.map(({ channel }) => channel)}::text[],
          ${addressed.map(({ address }) => address)}::bytea[]) topic (channel, address)
        cross join lateral (
          select sequence from event_addresses
          where (address, channel, sequence) >= (topic.address, topic.channel, ${from}::int8)
            and (address, channel) <= (topic.address, topic.channel)
          order by address, channel, sequence limit ${limit}
        ) own
        order by sequence limit ${limit}
      ) wanted
      join events e on e.sequence = wanted.sequence
    ) found on found.bytes_before = 0 or found.bytes_before < ${bytes}::int8
    order by found.sequence`.execute(db);
  const events = rows.flatMap((row) => {
    const { sequence, channel, height, addresses, data } = row as StoredEvent;
    return row.sequence === null ? [] : [{ sequence, channel, height, addresses, data }];
  });
  const isCut = events.length >= limit || events.length < (rows[0]?.found_count ?? 0);
  return { events, isCut, oldest: rows[0]?.oldest ?? 1, newest: rows[0]?.newest ?? 0 };
}
