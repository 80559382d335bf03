/** The command cannot be run as it was asked for, until the user changes something; the message says what. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UsageError";
  }
}

/** Exit code of a {@link UsageError}, of bad settings and of a bad command line: starting again would not help. */
export const usageExitCode = 2;
