import type { StatusName } from "./status-code.js";

/** `malformed`: the bytes are no transaction; `impossible`: they are one that can never be valid, whatever the state. */
export type AnnouncementProblem = "malformed" | "impossible";

/** Something that was to be announced must not reach a node. The message names the field, and the node's own code. */
export class AnnouncementError extends Error {
  override readonly name = "AnnouncementError";
  readonly problem: AnnouncementProblem;
  /** How a node would refuse it, where it has a name for that. */
  readonly code: StatusName | undefined;

  constructor(problem: AnnouncementProblem, message: string, code?: StatusName, options?: ErrorOptions) {
    super(code === undefined ? message : `${message} (${code})`, options);
    this.problem = problem;
    this.code = code;
  }
}

/** It is a transaction, but can never be valid. `path` is the field, `problem` what is wrong with it. */
export function impossible(path: string, problem: string, code?: StatusName): AnnouncementError {
  return new AnnouncementError("impossible", `${path}: ${problem}`, code);
}
