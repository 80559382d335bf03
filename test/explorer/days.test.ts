import { expect, test } from "@jest/globals";
import { axisRange, chartDaysOf, chartIntervals, homeVariables } from "../../explorer/days.js";
import { plainKey, plainText } from "../../explorer/typed-text.js";

const DAY = 86_400_000;
/** The main network's: its days begin at an hour of UTC that is not midnight. */
const EPOCH = 1_615_853_185_000;
const TIME = { epochMs: EPOCH, begin: 0 };

test("the axis of a chart is about its data: one datum, two, and many", () => {
  expect(axisRange(1_000_000, 1_000_000, 1)).toEqual([956_800, 1_043_200]);
  expect(axisRange(1_000_000, 1_000_000, undefined)).toEqual([956_800, 1_043_200]);
  expect(axisRange(0, 86_400, 2)).toEqual([-43_200, 129_600]);
  expect(axisRange(0, 864_000, 11)).toEqual([-43_200, 907_200]);
  expect(axisRange(0, 864_000, undefined)).toEqual([0, 864_000]);
});

test("days begin at midnight, UTC, and a young chain begins at its first block", () => {
  const timestamp = 100 * DAY;
  const { day, days } = homeVariables(TIME, timestamp);
  expect((EPOCH + days.from) % DAY).toBe(0);
  expect(Math.floor((timestamp - days.from) / DAY)).toBe(29);
  expect(day.from).toBe(new Date(EPOCH + timestamp - DAY).toISOString());
  expect(homeVariables(TIME, 1_000).days.from).toBe(0);
});

test("a chart begins with the second block, where the first one is years older", () => {
  const young = { epochMs: EPOCH, begin: 2_000 * DAY };
  for (const [days, expected] of [
    [undefined, 10],
    [365, 10],
    [7, 6],
  ] as const) {
    const { from, seconds } = chartIntervals(young, 2_010 * DAY, days);
    expect({ days, begin: Math.ceil((2_010 * DAY - from) / DAY) - 1, seconds }).toEqual({
      days,
      begin: expected,
      seconds: 86_400,
    });
  }
});

test("a chart has at most 400 spans of whole days", () => {
  for (const [age, days, expected] of [
    [1, undefined, 1],
    [2_000, 7, 1],
    [2_000, 365, 1],
    [2_000, undefined, 5],
  ] as const) {
    const { from, seconds } = chartIntervals(TIME, age * DAY, days);
    expect({ age, days, each: seconds / 86_400 }).toEqual({ age, days, each: expected });
    expect((age * DAY - from) / (1_000 * seconds)).toBeLessThanOrEqual(400);
  }
  const daysIn = (query: string) => chartDaysOf(new URLSearchParams(query));
  expect(["", "days=7", "days=all", "days=8"].map(daysIn)).toEqual([30, 7, undefined, 30]);
});

test.each([
  ["1,234,386", "1234386"],
  ["1'234'386", "1234386"],
  ["1 234 386", "1234386"],
  ["１２３", "123"],
  ["#30", "30"],
  ["  \u200e42\u200b ", "42"],
  ["0x6BED913FA20223F8", "6BED913FA20223F8"],
  ["6BED 913F A202 23F8", "6BED913FA20223F8"],
  ["TDJ4CU-ZMEIVB-7GQZ4O-LBHLQ3-4Y6IPW-AUVIOF-A5M", "TDJ4CUZMEIVB7GQZ4OLBHLQ34Y6IPWAUVIOFA5M"],
  ["https://symbol.fyi/blocks/30", "30"],
  ["alice-and-partners", "alice-and-partners"],
  ["alice.pay", "alice.pay"],
  ["two words", "two words"],
  ["", ""],
])("what people paste, %j, is %j", (pasted, plain) => {
  expect(plainText(pasted)).toBe(plain);
});

test.each([
  ["block", "00030", "30"],
  ["block", "0", "0"],
  ["mosaic", "0x6BED913FA20223F8", "6BED913FA20223F8"],
  ["account", "tdj4cuzmeivb7gqz4olbhlq34y6ipwauviofa5m", "TDJ4CUZMEIVB7GQZ4OLBHLQ34Y6IPWAUVIOFA5M"],
  ["namespace", "alice.pay", "alice.pay"],
])("the page of %s %s is that of %s", (kind, key, plain) => {
  expect(plainKey(kind, key)).toBe(plain);
});
