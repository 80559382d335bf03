/** An invalid block: its header and its contents do not match, or it does not follow its parent. */
export class BlockRejectedError extends Error {
  readonly height: number;
  /** The invalid field, such as `receiptsHash` or `transactions[3].signature`. */
  readonly field: string;
  /** What is wrong with it. */
  readonly problem: string;

  constructor(height: number, field: string, problem: string, options?: ErrorOptions) {
    super(`block ${height}: ${field} ${problem}`, options);
    this.name = "BlockRejectedError";
    this.height = height;
    this.field = field;
    this.problem = problem;
  }
}
