import { account } from "./documents/account.js";
import { chain } from "./documents/chain.js";
import { lists } from "./documents/lists.js";
import { now } from "./documents/now.js";
import { things } from "./documents/things.js";

// Every GraphQL document of the pages, by the name under which they ask it: dashboard/data/<name>?variables=<JSON>.
// The gateway reads this file too: no page can run anything else.

/** Answered from the index alone: the same until the index changes. */
export const ofIndex = { ...chain, ...lists, ...things, ...account };
/** About this moment: the node, this program, and how far behind they are. */
export const ofNow = now;
