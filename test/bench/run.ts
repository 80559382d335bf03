import { benchmarks } from "./list.js";

/** The process of one benchmark, named by its argument: sends its results to the process that started it. */

const benchmark = benchmarks.find(({ name }) => name === process.argv[2]);
if (!benchmark) throw new Error(`There is no benchmark ${process.argv[2]}`);
const figures = await benchmark.run((line) => process.stdout.write(`  … ${line}\n`));
// Open handles of the benchmark must not keep the process alive.
process.send?.(figures, () => process.exit(0));
