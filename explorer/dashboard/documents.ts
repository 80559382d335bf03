import type { KnownDocuments } from "../../gateway/rest/known-documents.js";
import { account } from "./documents/account.js";
import { chain } from "./documents/chain.js";
import { lists } from "./documents/lists.js";
import { now } from "./documents/now.js";
import { things } from "./documents/things.js";

/**
 * Every GraphQL document of the pages, by the name under which they ask it: dashboard/data/<name>?variables=<JSON>. No page
 * can run anything else.
 */
export const documents: KnownDocuments = { ofIndex: { ...chain, ...lists, ...things, ...account }, ofNow: now };
