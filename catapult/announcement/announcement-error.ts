import type { StatusName } from "./status-code.js";

/** `malformed`: the bytes are not a transaction; `impossible`: they are one that can never be valid, in any state. */
export type AnnouncementProblem = "malformed" | "impossible";

/** An announcement that must not reach a node. The message names the field, and the node's status code. */
export class AnnouncementError extends Error {
  override readonly name = "AnnouncementError";
  readonly problem: AnnouncementProblem;
  /** The node's status code for it, if there is one. */
  readonly code: StatusName | undefined;

  constructor(problem: AnnouncementProblem, message: string, code?: StatusName, options?: ErrorOptions) {
    super(code === undefined ? message : `${message} (${code})`, options);
    this.problem = problem;
    this.code = code;
  }
}

/** It is a transaction, but can never be valid. `path` is the field, `problem` the reason. */
export function impossible(path: string, problem: string, code?: StatusName): AnnouncementError {
  return new AnnouncementError("impossible", `${path}: ${problem}`, code);
}
