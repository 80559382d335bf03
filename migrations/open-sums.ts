/** The UTC day of block `b`; `h` has when the network's time begins. While that is unknown there are no days. */
const DAY = "date '1970-01-01' + ((b.timestamp + h.epoch_adjustment) / 86400000)::int4";
const EPOCH = "(select epoch_adjustment from head where epoch_adjustment is not null) h";
/** Of an open block: two bounds, by which the planner expects few rows. */
const isOpen = (height: string) =>
  `${height} > (select summed_height from head) and ${height} <= (select height from head)`;
const isOpenId = (id: string) =>
  `${id} >= (select (summed_height + 1)::int8 << 32 from head) and ${id} < (select (height + 1)::int8 << 32 from head)`;
const blockOf = (id: string) =>
  `join blocks b on b.height = (${id} >> 32)::int4 and ${isOpen("b.height")} cross join ${EPOCH}`;
/** The sum of the fees of transactions `t`: embedded ones, whose types are odd, pay none. */
const FEES = "sum(case when t.type & 1 = 0 then t.size::numeric * b.fee_multiplier else 0 end)";
const byKey = (measure: number, key: string) => `
  select ${measure}, 0, ${DAY}, ${key}, count(*), ${FEES}
  from transactions t ${blockOf("t.id")} where ${isOpenId("t.id")} group by 3, 4`;

/**
 * Measure, mosaic, day, key, count, amount. Numbers of measures are stored: 1 blocks with their fees; 2 transactions with
 * their fees, by type (flagged) and 3 by signer (flagged); 4 transfers of a mosaic with their amounts, by the flag; 5
 * blocks with the rewards of their harvesters, by harvester; 6 and 7 blocks in which an account's balance of a mosaic
 * fell or rose.
 */
const SUMS = [
  `select 1, 0, ${DAY}, 0, count(*), sum(b.total_fee)::numeric
    from blocks b cross join ${EPOCH} where ${isOpen("b.height")} group by 3`,
  byKey(2, "t.type"),
  byKey(3, "t.signer"),
  `select 4, m.mosaic >> 1, ${DAY}, m.mosaic & 1, count(*), sum(m.amount)::numeric
    from transaction_mosaics m ${blockOf("m.id")} where ${isOpenId("m.id")} group by 2, 3, 4`,
  `select 5, 0, ${DAY}, b.harvester, count(distinct b.height), coalesce(sum(r.amount), 0)::numeric
    from blocks b cross join ${EPOCH} left join (
      select (statement_id >> 32)::int4 as height, target, amount from receipts
      where type = 8515 and ${isOpenId("statement_id")}) r on r.height = b.height and r.target = b.harvester
    where ${isOpen("b.height")} group by 3, 4`,
  ...["<", ">"].map(
    (sign, index) => `select ${6 + index}, c.mosaic, ${DAY}, c.account, count(*), sum(abs(c.change))::numeric
      from balance_changes c join blocks b on b.height = c.height cross join ${EPOCH}
      where c.change ${sign} 0 and ${isOpen("c.height")} group by 2, 3, 4`,
  ),
];

/**
 * Sums by UTC day. A day is added up once, when a block after it is final: `head.summed_height` is the last block of the
 * newest such day. The view `open_sums` has the sums over the blocks after it, `sums_by_day` all of them.
 */
export const SUM_VIEWS = `
  create view open_sums (measure, mosaic, day, key, count, amount) with (security_invoker = on) as
    ${SUMS.join(" union all ")};
  create view sums_by_day with (security_invoker = on) as
    select measure::int4, mosaic, day, key, count, amount from daily_sums union all select * from open_sums`;
