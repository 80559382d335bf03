import { type Kysely, sql } from "kysely";

/** The tables of one group. @param what for readers of the tables */
const tablesOf = (group: "unconfirmed" | "partial", what: string): string => `
  -- ${what}
  create table ${group}_transactions (
    id bytea primary key,
    embedded bool not null,
    hash bytea,
    type int4 not null,
    signer_public_key bytea not null,
    recipient_address bytea,
    deadline int8,
    addresses bytea[],
    payload bytea,
    added_at timestamptz,
    document text not null
  );
  create index ${group}_transactions_deadline on ${group}_transactions (deadline) where not embedded;
  create unique index ${group}_transactions_hash on ${group}_transactions (hash) where hash is not null;
  create index ${group}_transactions_recipient on ${group}_transactions (recipient_address, id);
  create index ${group}_transactions_signer on ${group}_transactions (signer_public_key, id);
  create index ${group}_transactions_top on ${group}_transactions (id) where not embedded;
  create index ${group}_transactions_type on ${group}_transactions (type, id);

  -- whom they concern
  create table ${group}_transaction_addresses (
    address bytea not null,
    id bytea not null,
    embedded bool not null,
    type int4 not null,
    primary key (address, id)
  );
  create index ${group}_transaction_addresses_id on ${group}_transaction_addresses (id);

  -- what they move
  create table ${group}_transaction_mosaics (
    mosaic_id bytea not null,
    id bytea not null,
    embedded bool not null,
    amount int8 not null,
    primary key (mosaic_id, id)
  );
  create index ${group}_transaction_mosaics_amount on ${group}_transaction_mosaics (mosaic_id, amount, id, embedded);
  create index ${group}_transaction_mosaics_id on ${group}_transaction_mosaics (id);
`;

const TABLES = `
  ${tablesOf("unconfirmed", "wait for a block")}
  ${tablesOf("partial", "wait for cosignatures")}
  -- what was signed so far
  create table partial_cosignatures (
    hash bytea not null,
    "position" int4 not null,
    version numeric(20,0) not null,
    signer_public_key bytea not null,
    signature bytea not null,
    primary key (hash, signer_public_key)
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
    next_push_at timestamptz,
    heard_at timestamptz,
    pushed_to jsonb default '{}' not null,
    held_for text
  );
  create index announcements_deadline on announcements (deadline);
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
