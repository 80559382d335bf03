import { models } from "symbol-sdk/symbol";

/** Names of receipt types in the client library, by number. */
export const receiptTypeNames: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(models.ReceiptType)
    .filter((entry): entry is [string, models.ReceiptType] => entry[1] instanceof models.ReceiptType)
    .map(([name, type]) => [type.value, name]),
);
