import { setPriority } from "node:os";
import type { Target } from "./attack.js";
import { Hostile } from "./hostile.js";
import { attacks } from "./list.js";

/**
 * The process of one attack, named by its argument: it receives its target as a message, and attacks until it is
 * killed. It reports when it has ended by itself.
 */

// An attacker would have another machine: here it must not take the processor from the gateway.
setPriority(19);
const attack = attacks.find(({ name }) => name === process.argv[2]);
if (!attack) throw new Error(`There is no attack ${process.argv[2]}`);
process.on("message", (target: Target) => {
  const over = attack.run(target, new Hostile(target, new AbortController().signal)).then(() => process.send?.("over"));
  over.catch((error) => {
    process.stderr.write(`The attack ended: ${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
    process.disconnect();
  });
});
