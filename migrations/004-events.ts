import { type Kysely, sql } from "kysely";
import { schemaName } from "./schema-name.js";

const TABLES = `
  -- messages for subscribers, for some hours
  create table events (
    sequence int8 primary key,
    channel text not null,
    height int8 not null,
    addresses bytea[] not null,
    data text not null,
    created_at timestamptz default now() not null
  );
  create index events_channel on events (channel, sequence);

  -- whom they concern
  create table event_addresses (
    address bytea not null,
    channel text not null,
    sequence int8 not null,
    primary key (address, channel, sequence)
  );
  create index event_addresses_sequence on event_addresses (sequence);

  -- webhooks of operators
  create table webhooks (
    id int8 generated always as identity primary key,
    url text not null,
    topics text[] not null,
    confirmations int4 not null,
    awaits_finality bool not null,
    secret bytea not null,
    created_at timestamptz default now() not null,
    queued_through int8 not null,
    next_number int8 default 1 not null
  );

  -- their queued messages
  create table webhook_messages (
    webhook_id int8 not null references webhooks(id) on delete cascade,
    number int8 not null,
    type text not null,
    height int8,
    body text not null,
    state text not null,
    attempts int4 default 0 not null,
    queued_at timestamptz default now() not null,
    next_attempt_at timestamptz default now() not null,
    ended_at timestamptz,
    problem text,
    is_dropped bool default false not null,
    constraint webhook_messages_state check ((state in ('waiting', 'pending', 'delivered', 'dead'))),
    primary key (webhook_id, number)
  );
  create index webhook_messages_heights on webhook_messages (webhook_id, height) where height is not null;
  create index webhook_messages_open on webhook_messages (webhook_id, number) where state in ('waiting', 'pending');

  -- locked by the gateway that delivers webhooks
  create view webhook_deliverer as select;

  -- A gateway keeps answers until the head moves: whoever moves it wakes the gateway, also without an event.
  create function wake_gateways() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
  begin
    perform pg_notify('symbol_events', (select event_sequence::text from SCHEMA.head));
    return null;
  end $$;
  create trigger head_news after insert or delete or truncate or update of hash, finalized_epoch, finalized_point
    on head for each statement execute function wake_gateways();
`;

/** Events for clients, webhooks, and what wakes gateways. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES.replace("SCHEMA", await schemaName(db))).execute(db);
}
