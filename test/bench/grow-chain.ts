import { MAIN_NETWORK_CHAIN } from "./main-network-size.js";
import { StoredChain } from "./stored-chain.js";

/** Generates the chain of `main-network-size` ahead, in a process of its own: folder, number of blocks. */

const [folder, blocks] = process.argv.slice(2);
await new StoredChain(folder!, MAIN_NETWORK_CHAIN).grow(Number(blocks), (line) => process.stdout.write(`${line}\n`));
