export {
  RECEIPT_TYPE,
  receiptTypeName,
  TRANSACTION_TYPE,
  transactionTypeName,
} from "../../catapult/structs/type-names.js";
