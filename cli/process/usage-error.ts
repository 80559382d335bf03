import { nearestName } from "../../gateway/rest/nearest-name.js";

/** The command cannot run until the user changes something; the message says what. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UsageError";
  }
}

/** Exit code of a {@link UsageError}, of invalid settings and of an invalid command line: restarting would not help. */
export const usageExitCode = 2;

/** A sentence about the name that was probably meant, with a space before it; empty if none is near. */
export function didYouMean(given: string, names: readonly string[]): string {
  const nearest = nearestName(given, names);
  return nearest === undefined || nearest === given ? "" : ` Did you mean ${nearest}?`;
}
