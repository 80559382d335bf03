import { currencyUnits, type SqlColumn, type SqlView, units } from "./chain-views.js";
import { transactionType } from "./view-functions.js";

const column = (sql: string, comment: string): SqlColumn => ({ sql, comment });

const DAY = column("d.day", "Day of UTC.");
const DAY_FEE = "sum(d.amount) filter (where d.measure = 1)";
const TOP = "filter (where d.key & 1 = 0)";
/** Sums over transactions with either flag. */
const TRANSACTIONS = {
  transactions: column(`coalesce(sum(d.count) ${TOP}, 0)::int8`, "Number of transactions."),
  total_transactions: column("sum(d.count)::int8", "Number of transactions, including embedded ones."),
  fee: column("sum(d.amount)", "Fees paid, in atomic units."),
  fee_units: column(currencyUnits("sum(d.amount)"), "Fees paid, in whole units."),
};
/** Views over sums by day: see open-sums.ts. */
export const DAILY_VIEWS: Readonly<Record<string, SqlView>> = {
  daily: {
    comment: "The chain by days that have blocks. The newest day counts up to the newest block.",
    columns: {
      day: DAY,
      blocks: column("sum(d.count) filter (where d.measure = 1)::int8", "Number of blocks."),
      transactions: column(
        "coalesce(sum(d.count) filter (where d.measure = 2 and d.key & 1 = 0), 0)::int8",
        "Number of transactions.",
      ),
      total_transactions: column(
        "coalesce(sum(d.count) filter (where d.measure = 2), 0)::int8",
        "Number of transactions, including embedded ones.",
      ),
      fee: column(DAY_FEE, "Fees paid, in atomic units."),
      fee_units: column(currencyUnits(DAY_FEE), "Fees paid, in whole units."),
      active_accounts: column(
        "count(distinct d.key >> 1) filter (where d.measure = 3)",
        "Number of accounts that signed transactions, embedded ones too.",
      ),
      harvesters: column("count(*) filter (where d.measure = 5)", "Number of main accounts that harvested blocks."),
    },
    from: "sums_by_day d where d.measure in (1, 2, 3, 5) and d.mosaic = 0 group by d.day",
  },
  daily_types: {
    comment: "Transactions by day and type.",
    columns: {
      day: DAY,
      type: column(transactionType("d.key >> 1"), "Name of the type; a number for an unknown type."),
      type_number: column("d.key >> 1", "Number of the type, such as 16724 for a transfer."),
      ...TRANSACTIONS,
    },
    from: "sums_by_day d where d.measure = 2 and d.mosaic = 0 group by d.day, d.key >> 1",
  },
  daily_signers: {
    comment: "Transactions by day and signer.",
    columns: {
      day: DAY,
      signer: column("analytics.address(a.address)", "Address of the signer; null while its state is unknown."),
      signer_public_key: column("upper(encode(k.key, 'hex'))", "Public key of the signer, as hex."),
      ...TRANSACTIONS,
    },
    from: `sums_by_day d join keys k on k.id = d.key >> 1 left join accounts a on a.public_key = k.key
      where d.measure = 3 and d.mosaic = 0 group by d.day, k.key, a.address`,
  },
  daily_mosaics: {
    comment: "Transfers by day and mosaic, also embedded ones.",
    columns: {
      day: DAY,
      mosaic_id: column("upper(encode(k.key, 'hex'))", "Id of the mosaic as hex, also where transfers name an alias."),
      transfers: column("sum(d.count)::int8", "Number of transfers."),
      amount: column("sum(d.amount)", "Transferred amount, in atomic units."),
      units: column(
        units("sum(d.amount)", "min(m.divisibility)"),
        "Transferred amount in whole units; null while the mosaic's state is unknown.",
      ),
    },
    from: `sums_by_day d join keys k on k.id = d.mosaic and k.kind in (3, 4) and (k.kind <> 3 or get_byte(k.key, 0) < 128)
      left join mosaics m on m.mosaic_id = k.key where d.measure = 4 group by d.day, upper(encode(k.key, 'hex'))`,
  },
  daily_harvesters: {
    comment: "Harvested blocks by day and main account, with what it got for them.",
    columns: {
      day: DAY,
      address: column(
        "analytics.address(k.key)",
        "Address of the main account whose own or linked key signed the blocks.",
      ),
      blocks: column("d.count", "Number of blocks that it harvested."),
      amount: column("d.amount", "What it got for them from fees and inflation, in atomic units of the currency."),
      units: column(currencyUnits("d.amount"), "The same in whole units."),
    },
    from: "sums_by_day d join keys k on k.id = d.key where d.measure = 5 and d.mosaic = 0",
  },
};
