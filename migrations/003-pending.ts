import { type Kysely, sql } from "kysely";

const TABLES = `
  -- wait for a block, or for cosignatures
  create table pending_transactions (
    id bytea primary key,
    "group" text not null,
    embedded bool not null,
    hash bytea,
    type int4 not null,
    signer_public_key bytea not null,
    recipient_address bytea,
    deadline int8,
    addresses bytea[],
    payload bytea,
    position int4 not null,
    size int4 not null,
    embedded_size int4 not null,
    added_at timestamptz
  );
  create index pending_transactions_all on pending_transactions ("group", id);
  create index pending_transactions_deadline on pending_transactions (deadline) where not embedded;
  create unique index pending_transactions_hash on pending_transactions (hash, "group") where hash is not null;
  create index pending_transactions_recipient on pending_transactions ("group", recipient_address, id);
  create index pending_transactions_signer on pending_transactions ("group", signer_public_key, id);
  create index pending_transactions_top on pending_transactions ("group", id) where not embedded;
  create index pending_transactions_type on pending_transactions ("group", type, id);

  -- whom they concern
  create table pending_transaction_addresses (
    "group" text not null,
    address bytea not null,
    id bytea not null,
    primary key ("group", address, id)
  );
  create index pending_transaction_addresses_id on pending_transaction_addresses (id);

  -- what they move
  create table pending_transaction_mosaics (
    "group" text not null,
    mosaic_id bytea not null,
    id bytea not null,
    amount int8 not null,
    primary key ("group", mosaic_id, id)
  );
  create index pending_transaction_mosaics_amount on pending_transaction_mosaics ("group", mosaic_id, amount, id);
  create index pending_transaction_mosaics_id on pending_transaction_mosaics (id);

  -- their cosignatures so far
  create table pending_cosignatures (
    id bytea not null,
    position int4 not null,
    signer_public_key bytea not null,
    cosignature bytea not null,
    primary key (id, position)
  );

  -- why transactions failed
  create table transaction_statuses (
    hash bytea primary key,
    code text not null,
    deadline numeric(20,0) not null,
    from_node bool not null,
    recorded_at timestamptz not null
  );
  create index transaction_statuses_recorded_at on transaction_statuses (recorded_at);

  -- are of dropped blocks, and expected again
  create table awaited_transactions (
    hash bytea primary key,
    "group" text not null,
    deadline int8 not null,
    addresses bytea[] not null,
    since timestamptz not null
  );
  create index awaited_transactions_deadline on awaited_transactions (deadline);

  -- what clients have announced
  create table announcements (
    hash bytea primary key,
    kind text not null,
    payload bytea not null,
    parent_hash bytea,
    deadline int8 not null,
    announced_at timestamptz not null,
    last_pushed_at timestamptz not null,
    pushes int4 not null,
    state text not null,
    next_push_at timestamptz,
    reported_at timestamptz,
    pushed_to jsonb default '{}' not null,
    held_for text,
    check ((state = 'pushed') = (next_push_at is not null))
  );
  create index announcements_deadline on announcements (deadline);
  create index announcements_held on announcements (held_for, announced_at) where state = 'held';
  create index announcements_parent on announcements (parent_hash) where parent_hash is not null;
  create index announcements_next_push on announcements (next_push_at) where next_push_at is not null;

  -- what was announced and rejected
  create table rejected_announcements (
    id int8 generated always as identity primary key,
    hash bytea not null,
    code text not null,
    deadline numeric(20,0) not null,
    addresses bytea[] not null,
    rejected_at timestamptz default now() not null
  );
`;

/** Transactions that are not confirmed yet, or never will be. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(db);
}
