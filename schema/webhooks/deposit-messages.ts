import type { TransactionMessageBody } from "../../catapult/structs/transaction.js";
import { isBalanceHistoryWhole } from "../../database/balances/balance-changes.js";
import type { Db } from "../../database/database.js";
import { readStableDeposits, type StableDeposit } from "../balances/deposits.js";
import { serviceUnavailable } from "../errors/errors.js";
import { keyOf, type PublishedEvent } from "../feed/published-event.js";

/** A topic that webhooks alone have: what an account received. */
export const DEPOSIT = "deposit";

/** Limits no list of a block. */
const ALL = 1_000_000;

/** The deposits of confirmed transactions, as the database has them now: each block is read once. */
export class DepositMessages {
  readonly #db: Db;
  readonly #topics: ReadonlySet<string>;
  readonly #ofBlocks = new Map<string, Promise<readonly StableDeposit[]>>();

  /** @param topics of the webhook */
  constructor(db: Db, topics: ReadonlySet<string>) {
    this.#db = db;
    this.#topics = topics;
  }

  /**
   * What an event brought to the accounts of the webhook; nothing of a block that is not in the chain any more.
   * @param keys of the topics that the event was received for
   * @throws ApiError ServiceUnavailable until the books are complete
   */
  async of({ channel, height, data }: PublishedEvent, keys: readonly string[]): Promise<StableDeposit[]> {
    if (channel !== "confirmedAdded") return [];
    const accounts = keys
      .map((key) => key.split("/")[1])
      .filter((account) => account !== undefined && this.#topics.has(`${DEPOSIT}/${account}`));
    if (accounts.length === 0) return [];
    const { meta } = JSON.parse(data) as TransactionMessageBody;
    const found = await Promise.all(
      accounts.map((account) => this.#ofBlock(Buffer.from(account ?? "", "hex"), height)),
    );
    return found.flat().filter(({ hash }) => hash === meta.hash);
  }

  #ofBlock(address: Buffer, height: number): Promise<readonly StableDeposit[]> {
    const key = keyOf(String(height), address);
    const found = this.#ofBlocks.get(key) ?? this.#read(address, height);
    this.#ofBlocks.set(key, found);
    return found;
  }

  async #read(address: Buffer, height: number): Promise<readonly StableDeposit[]> {
    if (!(await isBalanceHistoryWhole(this.#db))) throw serviceUnavailable("the balance history is not complete yet");
    const filter = { address, fromHeight: height, toHeight: height };
    return readStableDeposits(this.#db, filter, { first: ALL, order: "asc" });
  }
}
