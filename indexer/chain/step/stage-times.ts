/**
 * The stages of a fill: waiting for the source; executing blocks, and verifying the results; of all threads, decoding blocks
 * with their hashes, verifying them, rows and lists, and encoding these; COPY; state rows; counters and the head row; the
 * commit; creating the deferred indexes.
 */
// biome-ignore format: in the order of the work
const STAGES = ["fetch", "execute", "decode", "verify", "render", "encode", "copy", "state", "notes", "commit", "index"] as const;

/** Durations of the stages, in ms. Stages run concurrently, so their sum is not the total duration. */
export type StageTimes = Readonly<Record<(typeof STAGES)[number], number>>;

export class StageClock {
  readonly times = Object.fromEntries(STAGES.map((stage) => [stage, 0])) as Record<keyof StageTimes, number>;

  add(times: Partial<StageTimes>): void {
    for (const stage of STAGES) this.times[stage] += times[stage] ?? 0;
  }
}
