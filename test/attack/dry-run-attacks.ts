import type { Attack } from "./attack.js";
import { flood, nth, withBody } from "./flood.js";

const simulation = (payload: string) => withBody("POST", "/transactions/simulate", { payload });
const announcement = (payload: string) => withBody("PUT", "/transactions", { payload });
const STORED = { storedBytes: 24 * 1_048_576 };

/** Attacks on those who announce and simulate. */
export const dryRunAttacks: readonly Attack[] = [
  flood(
    "costly-simulations",
    "Simulations that are the most work for a ledger, of an account without money, one at a time.",
    (n, { costly }) => simulation(nth(costly, n)),
    { connections: 1, isBesideSimulations: true },
  ),
  flood(
    "costly-announcements",
    "Announcements that are the most work for a ledger, of an account without money, one at a time.",
    (n, { costly }) => announcement(nth(costly, n)),
    { connections: 1, isBesideSimulations: true, ...STORED },
  ),
  flood(
    "waiting-simulations",
    "Four simulations at once from each of three addresses, that are much work for a ledger.",
    (n, { costly }) => simulation(nth(costly, n)),
    { connections: 12, addresses: 3, isBesideSimulations: true },
  ),
  flood(
    "unfunded-announcements",
    "Aggregates to 100 addresses each, of accounts without money, over four connections.",
    (n, { unfunded }) => announcement(nth(unfunded, n)),
    { connections: 4, isBesideSimulations: true, ...STORED },
  ),
];
