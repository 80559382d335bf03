/** Where the time of filling a range went, in ms. Stages work at the same time: what they add up to is no span of time. */
export interface StageTimes {
  /** Waiting for the source. */
  readonly fetch: number;
  /** Executing blocks, and verifying what comes of them: nothing where state is read from a node. */
  readonly execute: number;
  /** Reading the bytes of blocks, with their hashes: of all threads together, as the next three. */
  readonly decode: number;
  /** Checking them, and reading their statements. */
  readonly verify: number;
  /** Rows, documents, lists. */
  readonly render: number;
  readonly encode: number;
  /** COPY. */
  readonly copy: number;
  /** State that came of executing. */
  readonly state: number;
  /** Counters, milestones, keys of state that wait, the head row. */
  readonly notes: number;
  readonly commit: number;
  /** Making the indexes that were left out. */
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

/** Adds times up. */
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
