// The variables of documents about days, which end with the newest block; days begin at midnight, UTC.

const DAY_MS = 86_400_000;
/** Days of the charts of the first page. */
const HOME_DAYS = 30;
/** Intervals that a chart has at most. */
const MAX_INTERVALS = 400;

/** When a chain's time begins, and when its second block was made: the first one is as old as the time. */
export interface ChainTime {
  /** Unix ms of the network's epoch adjustment. */
  readonly epochMs: number;
  readonly begin: number;
}

/** @param answer to the document `chain` */
export const timeOf = (answer: {
  readonly network: { readonly epochAdjustment: string };
  readonly second: { readonly timestamp: number } | null;
}): ChainTime => ({ epochMs: Number(answer.network.epochAdjustment), begin: answer.second?.timestamp ?? 0 });

/** Where days begin in timestamps of the chain, ms. @param epochMs Unix ms of the network's epoch adjustment */
export const shiftOf = (epochMs: number): number => (DAY_MS - (epochMs % DAY_MS)) % DAY_MS;

/** The start of the day of a timestamp, as a timestamp, some days before. */
function startOfDay(epochMs: number, timestamp: number, before: number): number {
  const day = Math.floor((epochMs + timestamp) / DAY_MS) - before;
  return Math.max(0, day * DAY_MS - epochMs);
}

/** The variables of the first page's documents. @param timestamp of the newest block */
export function homeVariables(time: ChainTime, timestamp: number) {
  return {
    day: { from: new Date(time.epochMs + Math.max(0, timestamp - DAY_MS)).toISOString() },
    days: chartIntervals(time, timestamp, HOME_DAYS),
  };
}

/**
 * The intervals of charts: days, or several days where there would be too many.
 * @param days until the newest block; undefined for all
 */
export function chartIntervals({ epochMs, begin }: ChainTime, timestamp: number, days: number | undefined) {
  const first = startOfDay(epochMs, begin, 0);
  const from = days === undefined ? first : Math.max(first, startOfDay(epochMs, timestamp, days - 1));
  const each = Math.max(1, Math.min(31, Math.ceil((timestamp - from) / DAY_MS / MAX_INTERVALS)));
  return { from, seconds: (each * DAY_MS) / 1_000 };
}

/**
 * The ends of an axis of time, in seconds: around one point the half days before and after it, around bars half a bar.
 * @param bars their number; undefined for a line
 */
export function axisRange(low: number, high: number, bars: number | undefined): [number, number] {
  const halfDay = DAY_MS / 2_000;
  const margin = low === high ? halfDay : bars === undefined ? 0 : (high - low) / Math.max(1, bars - 1) / 2;
  return [low - margin, high + margin];
}

/** The days of the charts' page in its address. */
export const CHART_DAYS = [7, 30, 365] as const;
export const chartDaysOf = (query: URLSearchParams): number | undefined =>
  query.get("days") === "all" ? undefined : (CHART_DAYS.find((days) => String(days) === query.get("days")) ?? 30);
