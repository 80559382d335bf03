import type { ChainState } from "../../ledger/engine/chain-state.js";
import { COSTLY_BLOCKS, type CostlyBlock, TRANSFERS } from "../support/costly-blocks.js";
import { type Figure, median } from "./benchmark.js";

const ROUNDS = 3;
/** Processor time of the rounds before, until the code is compiled. */
const WARM_UP_MS = 600;
/** A block of the costliest transactions may take this many times as long as one of transfers of the same bytes. */
const MAX = 5;
const MICROSECONDS = 1e3;

/** Executes blocks of the costliest transactions of each type. */
export function costlyBlocks(say: (line: string) => void): readonly Figure[] {
  const only = process.env.BENCH_COSTLY_BLOCK;
  const transfers = measure(TRANSFERS).costs;
  say(`transfers: ${(1e3 * median(transfers)).toFixed(3)} ms for each kB`);
  const figures: Figure[] = [];
  for (const block of COSTLY_BLOCKS) {
    if (only && !block.name.includes(only)) continue;
    const { bytes, costs } = measure(block);
    const ratios = costs.map((cost) => cost / median(transfers));
    say(`${block.name}: ${bytes} bytes, ${(bytes * median(costs)).toFixed(0)} ms, ratio ${median(ratios).toFixed(2)}`);
    figures.push({
      what: block.name,
      column: "time / transfers of the same bytes",
      samples: ratios,
      unit: "ratio",
      target: { atMost: MAX },
    });
    const ms = costs.map((cost) => cost * bytes);
    figures.push({ what: block.name, column: "processor time of the block", samples: ms, unit: "ms" });
    figures.push({ what: block.name, column: "bytes of its transactions", samples: [bytes], unit: "bytes" });
  }
  return figures;
}

/** The bytes of a block, and its processor time for each, in ms. */
function measure(block: CostlyBlock): { readonly bytes: number; readonly costs: readonly number[] } {
  const { chain, transactions } = block.build();
  const { state } = chain;
  const bytes = transactions.reduce((sum, one) => sum + one.bytes.length, 0);
  const height = state.height;
  const roots = Buffer.concat(state.subCacheMerkleRoots());
  const costs: number[] = [];
  let warmUp = 0;
  while (costs.length < ROUNDS) {
    const start = process.cpuUsage();
    const { changes } = chain.mine(...transactions);
    for (const change of changes) void [change.before, change.after];
    state.rollbackTo(height);
    const { user, system } = process.cpuUsage(start);
    const ms = (user + system) / MICROSECONDS;
    if (warmUp >= WARM_UP_MS) costs.push(ms / bytes);
    warmUp += ms;
    verifyRoots(state, roots, block.name);
  }
  return { bytes, costs };
}

/** @throws Error when the block was not rolled back */
function verifyRoots(state: ChainState, roots: Buffer, name: string): void {
  const found = Buffer.concat(state.subCacheMerkleRoots());
  if (!found.equals(roots)) throw new Error(`${name}: the state after the roll-back is another one`);
}
