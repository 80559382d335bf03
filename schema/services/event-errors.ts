import { ApiError } from "./errors.js";

/** A consumer did not take its events: more waited for it than its limit. */
export class EventBufferOverflowError extends ApiError {
  constructor(bytes: number) {
    super("TooManyRequests", `more than ${bytes} bytes of events waited for a subscriber that does not read them`);
    this.name = "EventBufferOverflowError";
  }
}

/** Events were deleted before they could be read, so a consumer would miss them without noticing. */
export class EventsMissedError extends ApiError {
  /** First and last missed sequence. */
  readonly from: number;
  readonly to: number;

  constructor(from: number, to: number) {
    super("ServiceUnavailable", `events ${from} to ${to} were deleted before they were read`);
    this.name = "EventsMissedError";
    this.from = from;
    this.to = to;
  }
}

/** The valid starts: the oldest retained event, and the next future one. */
export interface ResumeRange {
  readonly oldest: number;
  readonly next: number;
}

/** A start before the oldest retained event, or after the next future one. */
export class ResumeRangeError extends ApiError {
  readonly oldest: number;
  readonly next: number;
  override readonly extensions: { readonly code: "InvalidArgument" } & ResumeRange;

  constructor({ oldest, next }: ResumeRange) {
    super(
      "InvalidArgument",
      `the oldest retained event is ${oldest}, and the next one will be ${next}: from must be from ${oldest} to ${next}`,
    );
    this.name = "ResumeRangeError";
    this.oldest = oldest;
    this.next = next;
    this.extensions = { code: "InvalidArgument", oldest, next };
  }
}
