/** The requested range cannot be filled; the message says which range is valid. Nothing was changed. */
export class BackfillRangeError extends Error {
  override readonly name = "BackfillRangeError";
}
