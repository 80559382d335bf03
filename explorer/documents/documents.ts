import type { PersistedDocuments } from "../../gateway/rest/persisted-documents.js";
import { account } from "./account.js";
import { chain } from "./chain.js";
import { lists } from "./lists.js";
import { now } from "./now.js";
import { things } from "./things.js";

/**
 * Every GraphQL document of the pages, by the name under which they ask it: explorer/data/<name>?variables=<JSON>. No page
 * can run anything else.
 */
export const documents: PersistedDocuments = { ofIndex: { ...chain, ...lists, ...things, ...account }, ofNow: now };
