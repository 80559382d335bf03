import type { Attack, Target } from "./attack.js";
import type { HttpAttempt } from "./hostile.js";

const json = (method: string, path: string, payload: string): HttpAttempt => {
  const body = JSON.stringify({ payload });
  return {
    ...{ method, path, body },
    headers: { "content-type": "application/json", "content-length": String(body.length) },
  };
};

const costly = (n: number, { costly }: Target): string => costly[n % costly.length]!;

/** Attacks on those who announce and simulate. */
export const dryRunAttacks: readonly Attack[] = [
  {
    name: "costly-simulations",
    about: "Simulations that are the most work for a ledger, of an account without money, one at a time.",
    isBesideSimulations: true,
    run: (target, hostile) => hostile.flood(1, (n) => json("POST", "/transactions/simulate", costly(n, target))),
  },
  {
    name: "costly-announcements",
    about: "Announcements that are the most work for a ledger, of an account without money, one at a time.",
    isBesideSimulations: true,
    storedBytes: 24 * 1_048_576,
    run: (target, hostile) => hostile.flood(1, (n) => json("PUT", "/transactions", costly(n, target))),
  },
  {
    name: "waiting-simulations",
    about: "Four simulations at once from each of three addresses, that are much work for a ledger.",
    isBesideSimulations: true,
    run: (target, hostile) => hostile.flood(12, (n) => json("POST", "/transactions/simulate", costly(n, target)), 3),
  },
  {
    name: "unfunded-announcements",
    about: "Aggregates to 100 addresses each, of accounts without money, over four connections.",
    isBesideSimulations: true,
    storedBytes: 24 * 1_048_576,
    run: (target, hostile) =>
      hostile.flood(4, (n) => json("PUT", "/transactions", target.unfunded[n % target.unfunded.length]!)),
  },
];
