import { column, type SqlView, time, uncheckedTime } from "./chain-views.js";

const hex = (bytes: string) => `upper(encode(${bytes}, 'hex'))`;
const address = (bytes: string) => `analytics.address(${bytes})`;
/** Bytes of the state value of a metadata entry before its own value: see `catapult/state/metadata.ts`. */
const METADATA_HEAD = 69;

/** Columns of both kinds of locks. */
const ofLock = {
  owner: column(address("s.owner_address"), "Address of the account that locked the amount."),
  mosaic_id: column(hex("s.mosaic_id"), "Id of the mosaic, as hex."),
  amount: column("s.amount::numeric", "Amount in atomic units."),
  end_height: column("s.end_height", "Height at which the lock ends."),
  is_used: column("s.status = 1", "Whether it was completed."),
};

/** Views over the state, and over what has no view elsewhere. */
export const STATE_VIEWS: Readonly<Record<string, SqlView>> = {
  metadata: {
    comment: "Metadata as they are now.",
    columns: {
      type: column("(array['account', 'mosaic', 'namespace'])[s.metadata_type + 1]", "account, mosaic, or namespace."),
      source: column(address("s.source_address"), "Address of the account that wrote it."),
      target: column(address("s.target_address"), "Address of the account that it is about, or that owns the target."),
      target_id: column(
        `case when s.metadata_type > 0 then ${hex("s.target_id")} end`,
        "Id of the mosaic or namespace that it is about, as hex, or null.",
      ),
      key: column(hex("s.scoped_metadata_key"), "Its key, as hex."),
      value_hex: column(hex(`substring(s.value from ${METADATA_HEAD + 1})`), "Its bytes, as hex."),
    },
    from: "metadata s",
  },
  multisig: {
    comment: "Multisig accounts and their cosigners: a row for each pair.",
    columns: {
      address: column(address("s.address"), "Address of the multisig account."),
      cosigner: column(address("c.address"), "Address of a cosigner."),
      min_approval: column("s.min_approval", "Number of cosigners who have to sign."),
      min_removal: column("s.min_removal", "Number of cosigners who have to sign the removal of one."),
    },
    from: "multisigs s cross join lateral unnest(s.cosignatory_addresses) c (address)",
  },
  restrictions: {
    comment: "Restrictions of accounts and mosaics as they are now: a row for each value.",
    columns: {
      address: column(address("r.address"), "Address of the account; null for one that is of the whole mosaic."),
      mosaic_id: column("r.mosaic_id", "Id of the restricted mosaic, as hex; null for a restriction of an account."),
      flags: column("r.flags", "Flags of the restriction of an account, such as 1 for allowed addresses, or null."),
      key: column("r.key", "Key of the restriction of a mosaic, or null."),
      value: column("r.value", "The value as in REST."),
    },
    from: `(
      select s.address, null::text as mosaic_id, v.flags, null::text as key,
        case when length(v.value) = 2 then (get_byte(v.value, 0) * 256 + get_byte(v.value, 1))::text
          else ${hex("v.value")} end as value
      from account_restrictions s
      cross join lateral unnest(s.restriction_flags, s.restricted_values) v (flags, value)
      union all
      select s.target_address, ${hex("s.mosaic_id")}, null, v.key::text,
        case when v.type is null then v.value::text
          else format('{"restrictionType": %s, "restrictionValue": "%s", "referenceMosaicId": "%s"}',
            v.type, v.value, ${hex("v.reference")}) end
      from mosaic_restrictions s
      cross join lateral unnest(
        s.restriction_keys, s.restriction_values, s.restriction_types, s.reference_mosaic_ids
      ) v (key, value, type, reference)) r`,
  },
  hash_locks: {
    comment: "Hash locks as they are now.",
    columns: { hash: column(hex("s.hash"), "Hash of the aggregate, as hex."), ...ofLock },
    from: "hash_locks s",
  },
  secret_locks: {
    comment: "Secret locks as they are now.",
    columns: {
      secret: column(hex("s.secret"), "The secret, as hex."),
      recipient: column(address("s.recipient_address"), "Address of the account that gets the amount."),
      ...ofLock,
    },
    from: "secret_locks s",
  },
  cosignatures: {
    comment: "Cosignatures of confirmed aggregates.",
    columns: {
      transaction_id: column("t.id", "Id of the aggregate, in analytics.transactions."),
      height: column("(t.id >> 32)::int4", "Height of the block."),
      hash: column(hex("t.hash"), "Hash of the aggregate, as hex."),
      signer_public_key: column(hex("c.key"), "Public key of the cosigner, as hex."),
      signer: column(address("a.address"), "Address of the cosigner; null while its state is unknown."),
    },
    // 168 bytes of header, the embedded transactions, then for each cosignature a version, a key and a signature.
    from: `transactions t join raw_blocks w on w.height = (t.id >> 32)::int4
      cross join lateral generate_series(168 + t.embedded_size, t.size - 104, 104) place
      cross join lateral (select substring(w.block from t.position + place + 9 for 32) as key) c
      left join accounts a on a.public_key = c.key
      where t.type in (33410, 33922)`,
  },
  failures: {
    comment: "Transactions that failed, as nodes and gateways reported them.",
    columns: {
      hash: column(hex("s.hash"), "Hash as hex."),
      code: column("s.code", "Why: the code of the node. docs/failures.md has a sentence for each."),
      deadline: column(uncheckedTime("s.deadline"), "Deadline of the transaction."),
      recorded_at: column("s.recorded_at", "When the index recorded it."),
    },
    from: "transaction_statuses s",
  },
  finalized: {
    comment: "Blocks that votes have proven final.",
    columns: {
      epoch: column("f.epoch", "Epoch of the vote."),
      point: column("f.point", "Point of the vote within the epoch."),
      height: column("f.height", "Height of the block."),
      hash: column(hex("f.hash"), "Hash of the block, as hex."),
      time: column(time("b.timestamp"), "Time of the block; not of the vote."),
    },
    from: "finalized_blocks f join blocks b on b.height = f.height",
  },
  first_seen: {
    comment: "When each address was first named in the chain, as signer, recipient or otherwise.",
    columns: {
      address: column(address("k.key"), "Address; an alias has the text of its bytes."),
      height: column("k.height", "Height of the block."),
      time: column(time("b.timestamp"), "Time of the block."),
    },
    from: "(select * from keys where kind = 1) k join blocks b on b.height = k.height",
  },
};
