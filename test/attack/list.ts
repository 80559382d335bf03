import { abortAttacks } from "./abort-attacks.js";
import type { Attack } from "./attack.js";
import { dryRunAttacks } from "./dry-run-attacks.js";
import { edgeAttacks } from "./edge-attacks.js";
import { explorerAttacks } from "./explorer-attacks.js";
import { graphqlAttacks } from "./graphql-attacks.js";
import { httpAttacks } from "./http-attacks.js";
import { readerAttacks } from "./reader-attacks.js";
import { webSocketAttacks } from "./websocket-attacks.js";

/** Every attack, in the order in which they run. */
export const attacks: readonly Attack[] = [
  ...webSocketAttacks,
  ...httpAttacks,
  ...dryRunAttacks,
  ...abortAttacks,
  ...graphqlAttacks,
  ...explorerAttacks,
  ...readerAttacks,
  ...edgeAttacks,
];
