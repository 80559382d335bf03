/** A snapshot cannot be saved or restored; the message says why, and names the block if one is damaged. */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
}
