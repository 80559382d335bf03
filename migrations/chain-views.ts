/*
 * The views of the schema `analytics`: see 005-views.ts.
 *
 * A condition of a user reaches an index only if the view's column is what an index has: texts of addresses and ids are
 * columns of expression indexes, and heights of transactions are computed from their ids, as in the index over them.
 * Where rows of two tables are joined by a number that one of them flags, the condition is written for both directions.
 */

import { receiptType, transactionType } from "./view-functions.js";

export interface SqlColumn {
  readonly sql: string;
  readonly comment: string;
}

export interface SqlView {
  readonly comment: string;
  readonly columns: Readonly<Record<string, SqlColumn>>;
  /** From the first table on. */
  readonly from: string;
}

export const column = (sql: string, comment: string): SqlColumn => ({ sql, comment });

/** A timestamp of the network as a time: what the index over the times of blocks has. */
export const time = (milliseconds: string) => `analytics.network_time(${milliseconds})`;
/** The same of a deadline that no block has checked: one after the last time that PostgreSQL knows is none. */
export const uncheckedTime = (milliseconds: string) =>
  time(`(case when ${milliseconds} < 9000000000000000 then ${milliseconds} end)::int8`);
/** An amount in whole units: atomic units moved by the mosaic's number of decimal places. */
export const units = (amount: string, divisibility: string) =>
  `round(${amount} * 10::numeric ^ (-${divisibility}), ${divisibility}::int4)`;
export const currencyUnits = (amount: string) => units(amount, "(select divisibility from analytics.network)");

const TIME = "Time of the block.";
const HEIGHT = "Height of the block.";
const ATOMIC = "in atomic units";
const WHOLE = "in whole units";
const KNOWN = "null while the mosaic's state is unknown";

const HARVESTER =
  "Address of the main account that harvested the block: its own key signed it, or that of its remote account.";

/** Block `b` of transactions, statements or mosaics with this id. */
const blockOf = (id: string) => `join blocks b on b.height = (${id} >> 32)::int4`;
const heightOf = (id: string) => `(${id} >> 32)::int4`;
/** Kinds of keys: the conditions of the indexes over their texts. */
const [ADDRESS, PUBLIC_KEY, ID] = ["kind = 1", "kind = 2", "kind in (3, 4)"] as const;
/** Key `k` with a number. */
const keyOf = (k: string, number: string, kind: string) => `keys ${k} on ${k}.id = ${number} and ${k}.${kind}`;
/** The same with a flagged number. */
const joinFlaggedKey = (k: string, flagged: string, kind: string) =>
  `${keyOf(k, `${flagged} >> 1`, kind)} and ${flagged} = any (array[${k}.id * 2, ${k}.id * 2 + 1])`;
/** The account of public key `k`. */
const accountOf = (a: string, k: string) => `left join accounts ${a} on ${a}.public_key = ${k}.key`;

/** As in every interface, counted from 0; ids count embedded transactions from 1. */
const EMBEDDED_INDEX = "nullif((t.id & 4095)::int4, 0) - 1";

const isTransfer = "t.type >> 1 = 16724";
/** The bytes of transaction `t`, read only for a column that is used. */
const messageOf = `case when ${isTransfer} then (select analytics.message_bytes(
  substring(r.block from t.position + 1 for t.size), t.type & 1 = 1) from raw_blocks r where r.height = (t.id >> 32)) end`;
const isAlias = (key: string) => `get_byte(${key}, 0) & 1 = 1`;
/** An alias in place of an address: a byte of the network, 8 bytes of the id with the lowest first, zeros. */
const aliasId = (key: string) => {
  const bytes = Array.from({ length: 8 }, (_, n) => `substring(${key} from ${9 - n} for 1)`).join(" || ");
  return `case when ${isAlias(key)} then upper(encode(${bytes}, 'hex')) end`;
};
const topHash = (id: string) =>
  `upper(encode((select h.hash from transactions h where h.id = ${id} - (${id} & 4095)), 'hex'))`;

const ofTransaction = {
  id: column("t.id", "Number that grows in the order of the chain. The newest first: order by id desc."),
  height: column(heightOf("t.id"), HEIGHT),
  time: column(time("b.timestamp"), TIME),
  hash: column(
    topHash("t.id"),
    "Hash as hex; of an embedded transaction that of its aggregate. To find one: id = analytics.transaction_id(hash).",
  ),
};
const RECIPIENT = column(
  "analytics.address(kr.key)",
  "Address of the recipient as in the transaction, or null; an alias has the text of its bytes, see recipient_alias.",
);
const RECIPIENT_ALIAS = column(
  aliasId("kr.key"),
  "Namespace id in place of the recipient, as hex; null for an address. Its target: analytics.balance_changes.",
);

/** The full name of namespace `n`. */
const NAME = `concat_ws('.', ${["level0", "level1", "level2"]
  .map((level) => `(select g.name from namespace_registrations g where g.namespace_id = n.${level} limit 1)`)
  .join(", ")})`;
const IS_ACTIVE = "(n.end_height is null or n.end_height > (select height from head))";

/** What came in, and what went out: stored only where both happened. */
const RECEIVED = "coalesce(c.received, greatest(c.change, 0))";

/** In the order of creation: later ones may use earlier ones. */
export const VIEWS: Readonly<Record<string, SqlView>> = {
  network: {
    comment: "The indexed network: one row.",
    columns: {
      height: column("h.height", "Height of the newest block."),
      finalized_height: column("h.finalized_height", "Height of the last finalized block: up to it nothing changes."),
      epoch: column(
        "to_timestamp(h.epoch_adjustment::numeric / 1000)",
        "When the network's time begins; null until an indexer that knows the network has run: then all times are null.",
      ),
      generation_hash_seed: column("upper(encode(h.generation_hash_seed, 'hex'))", "What names the network, as hex."),
      currency_mosaic_id: column(
        "upper(encode(c.mosaic, 'hex'))",
        "Mosaic of fees, as hex; null before the first receipt.",
      ),
      divisibility: column(
        "(select m.divisibility::int4 from mosaics m where m.mosaic_id = c.mosaic)",
        `Number of decimal places of the currency; ${KNOWN}.`,
      ),
    },
    from: `head h left join lateral (
      select analytics.receipt_mosaic(substring(w.statement from s.position + 1 for s.size), r.type, r.amount, k.key)
        as mosaic
      from (select * from receipts where type = 8515 order by statement_id limit 1) r
      join keys k on k.id = r.target
      join transaction_statements s on s.id = r.statement_id
      join raw_blocks w on w.height = r.statement_id >> 32) c on true`,
  },
  blocks: {
    comment: "Blocks.",
    columns: {
      height: column("b.height", HEIGHT),
      time: column(time("b.timestamp"), TIME),
      hash: column("upper(encode(b.hash, 'hex'))", "Hash of the block, as hex."),
      signer: column("analytics.address(a.address)", "Address of the signing key: often a remote account's."),
      signer_public_key: column("upper(encode(ks.key, 'hex'))", "The key that signed the block, as hex."),
      harvester: column("analytics.address(kh.key)", HARVESTER),
      beneficiary: column("analytics.address(kb.key)", "Address that receives the harvester's beneficiary share."),
      transactions: column("b.transactions_count", "Number of transactions."),
      total_transactions: column("b.total_transactions_count", "Number of transactions, including embedded ones."),
      statements: column("b.statements_count", "Number of statements, which have the receipts."),
      fee: column("b.total_fee", `Fees paid by its transactions, ${ATOMIC}.`),
      fee_units: column(currencyUnits("b.total_fee"), `Fees paid by its transactions, ${WHOLE}.`),
      fee_multiplier: column("b.fee_multiplier", "Fee per byte, in atomic units."),
      difficulty: column("b.difficulty", "Difficulty of the block."),
      is_final: column("b.height <= (select finalized_height from head)", "Whether it can no longer be rolled back."),
    },
    from: `blocks b join keys ks on ks.id = b.signer ${accountOf("a", "ks")} join ${keyOf("kb", "b.beneficiary", ADDRESS)}
      join ${keyOf("kh", "b.harvester", ADDRESS)}`,
  },
  transactions: {
    comment: "Confirmed transactions, and those embedded in aggregates.",
    columns: {
      ...ofTransaction,
      type: column(transactionType("t.type >> 1"), "Name of its type; a number for an unknown type."),
      type_number: column("t.type >> 1", "Number of its type, such as 16724 for a transfer."),
      embedded_index: column(
        EMBEDDED_INDEX,
        "Index in its aggregate, from 0; null for a transaction that is not embedded.",
      ),
      signer: column("analytics.address(a.address)", "Address of the signer; null while its state is unknown."),
      signer_public_key: column("upper(encode(ks.key, 'hex'))", "Public key of the signer, as hex."),
      recipient: RECIPIENT,
      recipient_alias: RECIPIENT_ALIAS,
      message: column(
        `analytics.message_text(${messageOf})`,
        "Plain text of a transfer's message; null if it has none, or one that is encrypted or no text.",
      ),
      message_hex: column(
        `nullif(upper(encode(${messageOf}, 'hex')), '')`,
        "All bytes of a transfer's message, as hex.",
      ),
      size: column("t.size", "Bytes."),
      fee: column(
        "case when t.type & 1 = 0 then t.size * b.fee_multiplier end",
        `Fee paid, ${ATOMIC}; null for an embedded transaction.`,
      ),
      fee_units: column(
        currencyUnits("case when t.type & 1 = 0 then t.size * b.fee_multiplier end"),
        `Fee paid, ${WHOLE}; null for an embedded transaction.`,
      ),
      deadline: column(time("t.deadline"), "Deadline; null for an embedded transaction."),
    },
    from: `transactions t ${blockOf("t.id")} join ${joinFlaggedKey("ks", "t.signer", PUBLIC_KEY)} ${accountOf("a", "ks")}
      left join ${joinFlaggedKey("kr", "t.recipient", ADDRESS)}`,
  },
  transfers: {
    comment: "Transferred mosaics: a row for each mosaic of each transfer, also of embedded ones.",
    columns: {
      ...ofTransaction,
      height: column(heightOf("m.id"), HEIGHT),
      embedded_index: column(EMBEDDED_INDEX, "Index in its aggregate, from 0, or null."),
      sender: column("analytics.address(a.address)", "Address of the signer; null while its state is unknown."),
      recipient: RECIPIENT,
      recipient_alias: RECIPIENT_ALIAS,
      mosaic_id: column(
        "upper(encode(km.key, 'hex'))",
        "Id of the mosaic as hex, also where the transfer names an alias.",
      ),
      amount: column("m.amount", `Amount ${ATOMIC}; amounts of the same mosaic in one transfer are added up.`),
      units: column(units("m.amount", "mo.divisibility"), `Amount ${WHOLE}; ${KNOWN}.`),
      message: column(`analytics.message_text(${messageOf})`, "Plain text of the message, or null."),
    },
    from: `transaction_mosaics m join ${joinFlaggedKey("km", "m.mosaic", ID)} and (km.kind <> 3 or get_byte(km.key, 0) < 128)
      join transactions t on t.id = m.id ${blockOf("m.id")} join ${joinFlaggedKey("ks", "t.signer", PUBLIC_KEY)} ${accountOf("a", "ks")}
      left join ${joinFlaggedKey("kr", "t.recipient", ADDRESS)} left join mosaics mo on mo.mosaic_id = km.key`,
  },
  balance_changes: {
    comment:
      "What each block did to the balances of accounts: a row for each account and mosaic that moved, also if nothing changed in the end.",
    columns: {
      height: column("c.height", HEIGHT),
      time: column(time("b.timestamp"), TIME),
      address: column("analytics.address(ka.key)", "Address of the account."),
      mosaic_id: column("upper(encode(km.key, 'hex'))", "Id of the mosaic, as hex."),
      change: column("c.change", `Received minus sent, ${ATOMIC}.`),
      units: column(units("c.change", "mo.divisibility"), `Received minus sent, ${WHOLE}; ${KNOWN}.`),
      received: column(RECEIVED, `What the account received, ${ATOMIC}.`),
      sent: column(`${RECEIVED} - c.change`, `What the account sent, ${ATOMIC}.`),
      causes: column(
        `array(
          select distinct ${transactionType("x.type")} from transaction_addresses x
          where x.account between ka.id * 2 and ka.id * 2 + 1
            and x.id >= c.height::int8 << 32 and x.id < (c.height::int8 + 1) << 32
          union
          select distinct ${receiptType("r.type")} from receipts r
          where (r.target = ka.id or r.sender = ka.id or r.recipient = ka.id)
            and r.statement_id >= c.height::int8 << 32 and r.statement_id < (c.height::int8 + 1) << 32
          order by 1)`,
        "Types of the block's transactions and receipts that concern the account, of which some moved the balance.",
      ),
    },
    from: `balance_changes c join ${keyOf("ka", "c.account", ADDRESS)} join ${keyOf("km", "c.mosaic", ID)}
      join blocks b on b.height = c.height left join mosaics mo on mo.mosaic_id = km.key`,
  },
  receipts: {
    comment: "Receipts: what blocks and transactions did besides moving what transactions say.",
    columns: {
      height: column(heightOf("r.statement_id"), HEIGHT),
      time: column(time("b.timestamp"), TIME),
      type: column(receiptType("r.type"), "Name of its type; a number for an unknown type."),
      type_number: column("r.type", "Number of its type, such as 8515 for a harvest fee."),
      transaction_id: column(
        `case when s.primary_id > 0 then
          ((r.statement_id >> 32) << 32) | ((s.primary_id - 1)::int8 << 12) | s.secondary_id end`,
        "Id of the transaction that caused it, in analytics.transactions; null if the block itself did.",
      ),
      target: column("analytics.address(kt.key)", "Address of the account that gets or pays the amount, or null."),
      sender: column("analytics.address(ks.key)", "Address of the account that pays a fee, or null."),
      recipient: column("analytics.address(kr.key)", "Address of the account that a fee is paid to, or null."),
      artifact_id: column("upper(encode(ka.key, 'hex'))", "Id of the mosaic or namespace that ended, as hex, or null."),
      mosaic_id: column(
        `upper(encode((select analytics.receipt_mosaic(
          substring(w.statement from s.position + 1 for s.size), r.type, r.amount, coalesce(kt.key, ks.key, ''::bytea))
          from raw_blocks w where w.height = r.statement_id >> 32), 'hex'))`,
        "Id of the mosaic of the amount, as hex; null if another receipt differs from it in nothing else.",
      ),
      amount: column("r.amount", `Amount ${ATOMIC}, or null.`),
    },
    from: `receipts r join transaction_statements s on s.id = r.statement_id ${blockOf("r.statement_id")}
      left join ${keyOf("kt", "r.target", ADDRESS)} left join ${keyOf("ks", "r.sender", ADDRESS)}
      left join ${keyOf("kr", "r.recipient", ADDRESS)} left join ${keyOf("ka", "r.artifact", ID)}`,
  },
  harvests: {
    comment: "Rewards of blocks: a row for each account that a block paid, with its share of fees and inflation.",
    columns: {
      height: column(heightOf("r.statement_id"), HEIGHT),
      time: column(time("b.timestamp"), TIME),
      address: column("analytics.address(kt.key)", "Address of the harvester, a beneficiary, or the network."),
      amount: column("r.amount", `Reward from fees and inflation, ${ATOMIC} of the currency.`),
      units: column(currencyUnits("r.amount"), `Reward ${WHOLE}.`),
      harvester: column("analytics.address(kh.key)", HARVESTER),
      signer_public_key: column("upper(encode(ks.key, 'hex'))", "The key that signed the block, as hex."),
    },
    from: `(select * from receipts where type = 8515) r ${blockOf("r.statement_id")} join ${keyOf("kt", "r.target", ADDRESS)}
      join keys ks on ks.id = b.signer join ${keyOf("kh", "b.harvester", ADDRESS)}`,
  },
  accounts: {
    comment: "Accounts as they are now.",
    columns: {
      address: column("analytics.address(a.address)", "Address of the account."),
      public_key: column(
        "nullif(upper(encode(a.public_key, 'hex')), repeat('0', 64))",
        "Its public key as hex; null until it has signed something.",
      ),
      type: column(
        "(array['unlinked', 'main', 'remote', 'unlinked remote'])[a.account_type + 1]",
        "unlinked, main (it has a remote account), remote, or unlinked remote.",
      ),
      linked_public_key: column(
        "upper(encode(a.linked_public_key, 'hex'))",
        "Of its remote or main account, as hex, or null.",
      ),
      importance: column("a.importance", "Its importance for harvesting."),
      importance_height: column("a.importance_height", "Height of that importance; 0 if it has none."),
    },
    from: "accounts a",
  },
  mosaics: {
    comment: "Mosaics as they are now.",
    columns: {
      mosaic_id: column("upper(encode(m.mosaic_id, 'hex'))", "Id of the mosaic, as hex."),
      names: column(
        `array(select ${NAME} from namespaces n where n.alias_mosaic_id = m.mosaic_id and ${IS_ACTIVE} order by 1)`,
        "Names of the namespaces that point to it.",
      ),
      owner: column("analytics.address(m.owner_address)", "Address of its creator."),
      supply: column("m.supply", `Supply ${ATOMIC}.`),
      units: column(units("m.supply", "m.divisibility"), `Supply ${WHOLE}.`),
      divisibility: column("m.divisibility", "Number of decimal places."),
      start_height: column("m.start_height", "Height at which it was defined."),
      end_height: column("m.end_height", "The first block in which it is no longer usable; null if it never ends."),
      is_supply_mutable: column("m.flags & 1 > 0", "Whether its creator may change the supply."),
      is_transferable: column("m.flags & 2 > 0", "Whether others than its creator may transfer it."),
      is_restrictable: column("m.flags & 4 > 0", "Whether its creator may restrict it."),
      is_revokable: column("m.flags & 8 > 0", "Whether its creator may revoke it."),
    },
    from: "mosaics m",
  },
  balances: {
    comment: "Balances as they are now; none is 0.",
    columns: {
      address: column("analytics.address(a.address)", "Address of the account."),
      mosaic_id: column("upper(encode(m.mosaic_id, 'hex'))", "Id of the mosaic, as hex."),
      amount: column("l.amount", `Balance ${ATOMIC}.`),
      units: column(units("l.amount", "m.divisibility"), `Balance ${WHOLE}.`),
      share: column("l.amount / nullif(m.supply, 0)", "Part of the mosaic's supply, from 0 to 1."),
    },
    from: "account_balances l join accounts a on a.id = l.id join mosaics m on m.mosaic_id = l.mosaic_id",
  },
  namespaces: {
    comment: "Namespaces as last registered.",
    columns: {
      namespace_id: column("upper(encode(n.namespace_id, 'hex'))", "Id of the namespace, as hex."),
      name: column(NAME, "Full name, such as root.child."),
      owner: column("analytics.address(n.owner_address)", "Address of its owner."),
      mosaic_id: column("upper(encode(n.alias_mosaic_id, 'hex'))", "Mosaic that it points to, as hex, or null."),
      address: column("analytics.address(n.alias_address)", "Address that it points to, or null."),
      start_height: column("n.start_height", "Height of its registration."),
      end_height: column("n.end_height", "The first block after its grace period; null if it never ends."),
      is_active: column(IS_ACTIVE, "Whether it has not ended, its grace period included."),
    },
    from: "namespaces n",
  },
  pending_transactions: {
    comment: "Transactions that wait for a block (unconfirmed) or for cosignatures (partial), with embedded ones.",
    columns: {
      group: column('p."group"', "unconfirmed or partial."),
      hash: column("upper(encode(p.hash, 'hex'))", "Hash as hex; null for an embedded transaction."),
      type: column(transactionType("p.type"), "Name of its type; a number for an unknown type."),
      is_embedded: column("p.embedded", "Whether it is embedded in an aggregate."),
      signer: column("analytics.address(a.address)", "Address of the signer; null while its state is unknown."),
      signer_public_key: column("upper(encode(p.signer_public_key, 'hex'))", "Public key of the signer, as hex."),
      recipient: column(
        "analytics.address(p.recipient_address)",
        "Address of the recipient as in the transaction, or null.",
      ),
      deadline: column(uncheckedTime("p.deadline"), "Deadline; null for an embedded transaction."),
      added_at: column("p.added_at", "When the index first knew of it; null for an embedded transaction."),
    },
    from: "pending_transactions p left join accounts a on a.public_key = p.signer_public_key",
  },
};
