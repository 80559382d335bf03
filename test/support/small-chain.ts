import { openDatabase } from "../../database/connection.js";
import { createFilledDatabase, type TestDatabase } from "./database.js";
import { syntheticBlocks } from "./synthetic-chain.js";
import { writeSyntheticChain } from "./write-synthetic-chain.js";

const CHAIN = { blocks: 60, seed: 5 };

/** A database with a synthetic chain of 60 blocks. */
export function smallChain(): Promise<TestDatabase> {
  const fill = async (url: string) => {
    const db = openDatabase({ url, poolSize: 2 });
    await writeSyntheticChain(db, syntheticBlocks(CHAIN));
    await db.destroy();
  };
  return createFilledDatabase({ name: "small_chain", fill });
}
