import type { NetworkIdentity } from "../entity/model.js";
import type { TransactionRules } from "../network/transaction-rules.js";

/** The context in which a transaction is checked, and its name in messages. */
export interface EntityCheck {
  readonly network: NetworkIdentity;
  readonly rules: TransactionRules;
  /** Such as `transaction` or `transaction.embedded[2]`. */
  readonly path: string;
  readonly isEmbedded: boolean;
  /** Whether cosignatures may be missing, because it is yet to be signed. */
  readonly isUnsigned?: boolean | undefined;
}

export const ZERO_KEY = Buffer.alloc(32);
