import { setPriority } from "node:os";
import type { Target } from "./attack.js";
import { Hostile } from "./hostile.js";
import { attacks } from "./list.js";

/**
 * The process of one attack, named by its argument: it receives its target as a message, and attacks until it is
 * killed. It reports when it has ended by itself; after any other message, how many answers of each status its floods
 * got a second.
 */

// An attacker would have another machine: here it must not take the processor from the gateway.
setPriority(19);
const attack = attacks.find(({ name }) => name === process.argv[2]);
if (!attack) throw new Error(`There is no attack ${process.argv[2]}`);
process.once("message", (target: Target) => {
  const hostile = new Hostile(target, new AbortController().signal);
  const start = performance.now();
  process.on("message", () => {
    const seconds = (performance.now() - start) / 1_000;
    process.send?.(new Map([...hostile.answers].map(([status, count]) => [status, count / seconds])));
  });
  const ended = attack.run(target, hostile).then(() => process.send?.("ended"));
  ended.catch((error) => {
    process.stderr.write(`The attack ended: ${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
    process.disconnect();
  });
});
