/** A block that is not believed: what its header says and what it holds do not fit, or it does not follow its parent. */
export class BlockRefusedError extends Error {
  readonly height: number;
  /** What is wrong, such as `receiptsHash` or `transactions[3].signature`. */
  readonly field: string;

  constructor(height: number, field: string, problem: string, options?: ErrorOptions) {
    super(`block ${height}: ${field} ${problem}`, options);
    this.name = "BlockRefusedError";
    this.height = height;
    this.field = field;
  }
}
