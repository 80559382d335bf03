/** The command cannot run until the user changes something; the message says what. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UsageError";
  }
}

/** Exit code of a {@link UsageError}, of invalid settings and of an invalid command line: restarting would not help. */
export const usageExitCode = 2;
