export {
  RECEIPT_TYPE,
  receiptTypeName,
  TRANSACTION_TYPE,
  transactionTypeName,
} from "../../catapult/nouns/type-names.js";
