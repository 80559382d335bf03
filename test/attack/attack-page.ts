import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import type { Attack } from "./attack.js";
import type { Afterwards } from "./attacked-gateway.js";
import type { Stretch } from "./beside.js";

/** What was measured before and during an attack. */
export interface Measured {
  readonly attack: Attack;
  readonly before: Stretch;
  readonly during: Stretch;
  readonly afterwards: Afterwards;
}

/** Writes the page of all attacks: a table with a row for each. */
export function writeAttackPage(file: string, limits: string, measured: readonly Measured[], date: Date): void {
  const day = date.toISOString().slice(0, 10);
  const parts = [
    "# Attacks",
    `Written by \`npm run attack\` when it runs all of them: see [operations.md](operations.md#hostile-clients). The times are those of a well-behaved client beside the attack, in ms; memory is that of the gateway. When the attack has ended, clients with the attacker's address are served again: the table has the time of the slowest of their first answers, and the places that are still held. Allowed are ${limits}.`,
    [
      "| attack | what it does | p50 before | p50 during | p99 before | p99 during | memory before, MiB | growth, MiB | served again, ms | places held |",
      "|---|---|---|---|---|---|---|---|---|---|",
      ...measured.map(rowOf),
    ].join("\n"),
    `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${day}.\n`,
  ];
  writeFileSync(file, parts.join("\n\n"));
}

function rowOf({ attack: { name, about }, before, during, afterwards }: Measured): string {
  const times = [before.p50, during.p50, before.p99, during.p99].map((time) => time.toFixed(1));
  const growth = Math.round(during.memoryMiB - before.memoryMiB);
  const served = [afterwards.servedMs.toFixed(0), afterwards.held ?? "unknown"];
  return `| ${[`\`${name}\``, about, ...times, Math.round(before.memoryMiB), growth, ...served].join(" | ")} |`;
}
