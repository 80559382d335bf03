/** Durations of the stages of a backfill, in ms. Stages run concurrently, so their sum is not the total duration. */
export interface StageTimes {
  /** Waiting for the source. */
  readonly fetch: number;
  /** Executing blocks, and verifying the results: 0 if state is read from a node. */
  readonly execute: number;
  /** Decoding blocks, including their hashes: sum of all threads, like the next three. */
  readonly decode: number;
  /** Verifying them, and decoding their statements. */
  readonly verify: number;
  /** Rows and lists. */
  readonly render: number;
  readonly encode: number;
  /** COPY. */
  readonly copy: number;
  /** State rows from execution. */
  readonly state: number;
  /** Counters, milestones, pending keys of state, the head row. */
  readonly notes: number;
  readonly commit: number;
  /** Creating the deferred indexes. */
  readonly index: number;
}

const NO_TIMES: StageTimes = {
  fetch: 0,
  execute: 0,
  decode: 0,
  verify: 0,
  render: 0,
  encode: 0,
  copy: 0,
  state: 0,
  notes: 0,
  commit: 0,
  index: 0,
};

/** Sums up durations. */
export class StageClock {
  #times: StageTimes = NO_TIMES;

  get times(): StageTimes {
    return this.#times;
  }

  add(times: Partial<StageTimes>): void {
    const sums = Object.entries(this.#times).map(([stage, ms]) => [
      stage,
      ms + (times[stage as keyof StageTimes] ?? 0),
    ]);
    this.#times = Object.fromEntries(sums) as unknown as StageTimes;
  }
}
