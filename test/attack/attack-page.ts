import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import type { Attack } from "./attack.js";
import type { Afterwards } from "./attacked-gateway.js";
import type { Stretch } from "./beside.js";
import type { NodeOutcome } from "./nodes/attack-nodes.js";

/** What was measured before and during an attack. */
export interface Measured {
  readonly attack: Attack;
  readonly before: Stretch;
  readonly during: Stretch;
  readonly afterwards: Afterwards;
  /** How many answers of each status a second a flood got; "" for other attacks. */
  readonly answers: string;
}

const NODES = "## Hostile nodes";

/** Writes the page of all attacks: a table with a row for each. The other sections are kept. */
export function writeAttackPage(file: string, limits: string, measured: readonly Measured[], date: Date): void {
  const parts = [
    "# Attacks",
    `Written by \`npm run attack\` when it runs all of them: see [operations.md](../operations.md#hostile-clients). The times are the 99th percentile of a well-behaved client, in ms, before and during the attack; growth is that of the gateway's memory. When the attack has ended, clients with the attacker's address are served again: the table has the time of the slowest of their first answers, and the slots that are still held. Allowed are ${limits}.`,
    [
      "| attack | what it does | before | during | growth, MiB | served again, ms | slots held | answers a second |",
      "|---|---|---|---|---|---|---|---|",
      ...measured.map(rowOf),
    ].join("\n"),
    machineAt(date),
  ];
  writeFileSync(file, [...parts, ...otherSections(file)].join("\n\n"));
}

/** Writes the section about nodes that attack an indexer, and keeps everything else. */
export function writeNodeSection(file: string, limits: string, measured: readonly NodeOutcome[], date: Date): void {
  const [others = ""] = existsSync(file) ? readFileSync(file, "utf8").split(`\n${NODES}\n`) : [];
  const rows = measured.map(({ attack: { name, about }, lagMs, peakMiB, rejections }) => {
    return `| \`${name}\` | ${about} | ${(lagMs / 1_000).toFixed(1)} | ${peakMiB ?? "unknown"} | ${rejections} |`;
  });
  const parts = [
    NODES,
    `Written by \`npm run attack -- nodes\`. An indexer with an empty database follows a hostile node, the first of its list, and an honest one, whose chain grows. The table has the longest time in which the index lacked a block of the honest node, from the start of the process on; the peak memory of the indexer; and how often it dropped the hostile node or ignored its pool. Allowed are ${limits}; and afterwards everything that is stored is true of the honest node's chain, which is verified too.`,
    [
      "| attack | what the node does | longest lag, s | peak memory, MiB | rejections |",
      "|---|---|---|---|---|",
      ...rows,
    ].join("\n"),
    machineAt(date),
  ];
  writeFileSync(file, `${others.trimEnd()}\n\n${parts.join("\n\n")}`);
}

function machineAt(date: Date): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}`;
  return `Node ${process.versions.node}, ${machine}, ${date.toISOString().slice(0, 10)}.\n`;
}

/** What follows the table of attacks. */
function otherSections(file: string): string[] {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const start = text.indexOf("\n## ");
  return start < 0 ? [] : [text.slice(start + 1)];
}

function rowOf({ attack: { name, about }, before, during, afterwards, answers }: Measured): string {
  const times = [before.p99, during.p99].map((time) => time.toFixed(1));
  const growth = Math.round(during.memoryMiB - before.memoryMiB);
  const served = [afterwards.servedMs.toFixed(0), afterwards.held ?? "unknown"];
  return `| ${[`\`${name}\``, about, ...times, growth, ...served, answers].join(" | ")} |`;
}
