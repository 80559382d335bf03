/** A range cannot be filled as it was asked for; the message says what would be right. Nothing was changed. */
export class BackfillRangeError extends Error {
  override readonly name = "BackfillRangeError";
}
