/** An answer with an error, or a message with one. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  /** Code of the error, such as `ResourceNotFound`. */
  readonly code: string;
  /** HTTP status; undefined for errors of subscriptions. */
  readonly status: number | undefined;

  constructor(code: string, message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
