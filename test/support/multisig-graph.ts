import type { ExecutableTransaction } from "../../ledger/rules/notifications.js";
import { modify } from "../devnet/state-descriptors.js";
import { TestChain, transfer } from "../devnet/state-test-chain.js";

/** Accounts of a level of the graph, below the one at the top. */
const WIDTH = 24;
/** Levels below the top. */
const DEPTH = 3;

/** A chain with a graph of multisig accounts as dense as networks allow, and an aggregate that needs all of it. */
export interface MultisigGraph {
  readonly chain: TestChain;
  /** Number of accounts in the graph. */
  readonly accounts: number;
  /** Number of links between them. */
  readonly links: number;
  /**
   * An aggregate of transactions of the account at the top, signed by the accounts at the bottom.
   *
   * @param cosigners how many of them sign
   */
  aggregate(transactions: number, cosigners?: number): ExecutableTransaction;
}

/** A chain with one account at the top, and three levels of 24: each account is cosigned by the whole next level. */
export function multisigGraph(): MultisigGraph {
  const { aggregate } = new TestChain([]).state.config;
  const multisig = { maxDepth: DEPTH, maxCosignatoriesPerAccount: 25, maxCosignedAccountsPerAccount: 25 };
  const aggregates = { ...aggregate, maxTransactions: 100, maxCosignatures: 25 };
  const levels = [["top"], ...Array.from({ length: DEPTH }, (_, level) => namesOf(level))];
  const chain = new TestChain(["top"], {}, { multisig, aggregate: aggregates, maxTransactionsPerBlock: 6_000 });
  const bottom = levels.at(-1)!;
  for (let level = DEPTH - 1; level >= 0; --level) {
    const modifications = levels[level]!.map((name) =>
      modify(chain, name, levels[level + 1]!, [], WIDTH, WIDTH, [name, ...bottom]),
    );
    chain.mine(...modifications);
  }
  return {
    chain,
    accounts: levels.flat().length,
    links: WIDTH + (DEPTH - 1) * WIDTH * WIDTH,
    aggregate: (transactions, cosigners = WIDTH) => {
      const [signer, ...others] = bottom.slice(0, cosigners);
      const embedded = Array.from({ length: transactions }, () => chain.embedded("top", transfer("top")));
      return chain.aggregate(signer!, embedded, others);
    },
  };
}

function namesOf(level: number): string[] {
  return Array.from({ length: WIDTH }, (_, index) => `level ${level} ${index}`);
}
