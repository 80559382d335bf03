import type { TransactionEntry } from "../../database/bodies/transaction-bodies.js";
import type { Entry } from "../../database/lists/page.js";
import type { MultisigEntry } from "../../database/queries/multisigs.js";
import { builder } from "./builder.js";
import { pageType } from "./page.js";

/* The types that fields of several entities lead to; the file of each entity implements its own. */

export const Block = builder.objectRef<Entry>("Block");
export const Transaction = builder.objectRef<TransactionEntry>("Transaction");

export const Account = builder.objectRef<Entry>("Account");
export const AccountRestrictions = builder.objectRef<Entry>("AccountRestrictions");
export const HashLock = builder.objectRef<Entry>("HashLock");
export const Metadata = builder.objectRef<Entry>("Metadata");
export const Mosaic = builder.objectRef<Entry>("Mosaic");
export const MosaicRestriction = builder.objectRef<Entry>("MosaicRestriction");
export const Multisig = builder.objectRef<MultisigEntry>("Multisig");
export const Namespace = builder.objectRef<Entry>("Namespace");
export const SecretLock = builder.objectRef<Entry>("SecretLock");

export const BlockPage = pageType("BlockPage", Block);
export const TransactionPage = pageType("TransactionPage", Transaction);
export const HashLockPage = pageType("HashLockPage", HashLock);
export const MetadataPage = pageType("MetadataPage", Metadata);
export const MosaicPage = pageType("MosaicPage", Mosaic);
export const MosaicRestrictionPage = pageType("MosaicRestrictionPage", MosaicRestriction);
export const NamespacePage = pageType("NamespacePage", Namespace);
export const SecretLockPage = pageType("SecretLockPage", SecretLock);
