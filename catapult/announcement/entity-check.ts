import type { NetworkIdentity } from "../entity/model.js";
import type { TransactionRules } from "../network/transaction-rules.js";

/** What a transaction is held against, and how messages call it. */
export interface EntityCheck {
  readonly network: NetworkIdentity;
  readonly rules: TransactionRules;
  /** Such as `transaction` or `transaction.embedded[2]`. */
  readonly path: string;
  readonly isEmbedded: boolean;
}

export const ZERO_KEY = Buffer.alloc(32);
