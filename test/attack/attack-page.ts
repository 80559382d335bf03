import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import type { Attack } from "./attack.js";
import type { Stretch } from "./beside.js";

/** What was measured before and during an attack. */
export interface Measured {
  readonly attack: Attack;
  readonly before: Stretch;
  readonly during: Stretch;
}

/** Writes the page of all attacks: a table with a row for each. */
export function writeAttackPage(file: string, limits: string, measured: readonly Measured[], date: Date): void {
  const day = date.toISOString().slice(0, 10);
  const parts = [
    "# Attacks",
    `Written by \`npm run attack\` when it runs all of them: see [operations.md](operations.md#hostile-clients). The times are those of a well-behaved client beside the attack, in ms; memory is that of the gateway. Allowed are ${limits}.`,
    [
      "| attack | what it does | p50 before | p50 during | p99 before | p99 during | memory before, MiB | growth, MiB |",
      "|---|---|---|---|---|---|---|---|",
      ...measured.map(rowOf),
    ].join("\n"),
    `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${day}.\n`,
  ];
  writeFileSync(file, parts.join("\n\n"));
}

function rowOf({ attack: { name, about }, before, during }: Measured): string {
  const times = [before.p50, during.p50, before.p99, during.p99].map((time) => time.toFixed(1));
  const growth = Math.round(during.memoryMiB - before.memoryMiB);
  return `| ${[`\`${name}\``, about, ...times, Math.round(before.memoryMiB), growth].join(" | ")} |`;
}
