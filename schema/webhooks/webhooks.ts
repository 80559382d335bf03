import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import { encodeAddress, isAliasAddress } from "../../catapult/entity/address.js";
import type { Db } from "../../database/database.js";
import {
  deleteWebhook,
  insertWebhook,
  makeMessagesDue,
  readWebhooks,
  replayMessages,
  type WebhookStatus,
} from "../../database/queries/webhooks.js";
import { invalidArgument, invalidContent, notFound } from "../errors/errors.js";
import { listenedAddress } from "../events/listened-address.js";
import { parseTopic, toEventTopic } from "../events/topic.js";
import { keyOf } from "../feed/published-event.js";
import { ReceiverAddresses } from "./addresses.js";
import { DEPOSIT } from "./deposit-messages.js";
import { nameProblem, Poster } from "./post.js";
import { BLOCK_CHANNELS } from "./queue.js";
import { createSecret, formatSecret, parseSecret, signedHeaders } from "./signature.js";

const MAX_WEBHOOKS = 100;
const MAX_TOPICS = 100;
const MAX_URL = 2_048;
const PING_TIMEOUT_MS = 15_000;
/** No chain is reorganized deeper than this number of blocks. */
const MAX_CONFIRMATIONS = 10_000;

/** A webhook as an operator orders it. */
export interface NewWebhook {
  readonly url: string;
  /** `channel` or `channel/address`, as on `/ws`, or `deposit/address`. */
  readonly topics: readonly string[];
  readonly confirmations?: number | undefined;
  readonly awaitsFinality?: boolean | undefined;
  /** `whsec_` and base64; a new one if absent. */
  readonly secret?: string | undefined;
}

/** A stored webhook, with its secret, which is shown only now. */
export interface CreatedWebhook {
  readonly id: number;
  readonly secret: string;
}

/** The webhooks of a database: what operators do with them. */
export class Webhooks {
  readonly #db: Db;
  readonly #addresses: ReceiverAddresses;

  /**
   * @param db that the indexer writes to
   * @param privateNetworks networks that are not public, and may receive messages all the same
   */
  constructor(db: Db, privateNetworks: readonly string[] = []) {
    this.#db = db;
    this.#addresses = new ReceiverAddresses(privateNetworks);
  }

  /** @throws ApiError naming what is wrong */
  async add({ url, topics, confirmations = 0, awaitsFinality = false, secret }: NewWebhook): Promise<CreatedWebhook> {
    await this.#checkUrl(url);
    if (topics.length < 1 || topics.length > MAX_TOPICS) {
      throw invalidArgument(`topics must be 1 to ${MAX_TOPICS}, not ${topics.length}`);
    }
    if (!Number.isInteger(confirmations) || confirmations < 0 || confirmations > MAX_CONFIRMATIONS) {
      throw invalidArgument(`confirmations must be from 0 to ${MAX_CONFIRMATIONS}`);
    }
    if (confirmations > 0 && awaitsFinality) {
      throw invalidArgument("confirmations must not be given together with finality");
    }
    const waits = confirmations > 0 || awaitsFinality;
    const stored = await Promise.all([...new Set(topics)].map((topic) => this.#storedTopic(topic, waits)));
    const key = secret === undefined ? createSecret() : parseSecret(secret);
    const row = { url, topics: stored, confirmations, awaits_finality: awaitsFinality, secret: key };
    const id = await insertWebhook(this.#db, row, MAX_WEBHOOKS);
    if (id === undefined) throw invalidArgument(`there are ${MAX_WEBHOOKS} webhooks already: remove one first`);
    return { id, secret: formatSecret(key) };
  }

  list(): Promise<WebhookStatus[]> {
    return readWebhooks(this.#db);
  }

  /** @throws ApiError ResourceNotFound */
  async remove(id: number): Promise<void> {
    if (!(await deleteWebhook(this.#db, id))) throw notFound(id);
  }

  /**
   * Sends messages again that were given up: all, or one by its number.
   * @returns their number
   * @throws ApiError ResourceNotFound
   */
  async replay(id: number, number?: number): Promise<number> {
    const count = await replayMessages(this.#db, id, number);
    if (count === undefined) throw notFound(id);
    return count;
  }

  /**
   * Makes the next attempt of all undelivered messages due now, such as after a receiver was mended.
   * @returns their number
   * @throws ApiError ResourceNotFound
   */
  async sendNow(id: number): Promise<number> {
    const count = await makeMessagesDue(this.#db, id);
    if (count === undefined) throw notFound(id);
    return count;
  }

  /**
   * Sends a message of type `ping` at once, besides the queue.
   * @returns why it was not delivered; undefined when the receiver answered 2xx
   * @throws ApiError ResourceNotFound
   */
  async ping(id: number): Promise<string | undefined> {
    const hook = (await this.list()).find((one) => one.id === id);
    if (!hook) throw notFound(id);
    const poster = new Poster(hook.url, this.#addresses, PING_TIMEOUT_MS);
    try {
      const now = new Date();
      const body = JSON.stringify({ type: "ping", timestamp: now.toISOString(), data: {} });
      const headers = signedHeaders(`symbol_${id}_${randomUUID()}`, body, hook.secret, now);
      return (await poster.post(body, headers, AbortSignal.timeout(PING_TIMEOUT_MS)))?.problem;
    } finally {
      poster.close();
    }
  }

  async #checkUrl(text: string): Promise<void> {
    const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : undefined;
    if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
      throw invalidContent("url", `an http or https URL of at most ${MAX_URL} characters`);
    }
    if (url.username !== "" || url.password !== "") throw invalidArgument("url must not have a user or a password");
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0 && !this.#addresses.has(host)) {
      throw invalidArgument(`url must not have the private address ${host}, unless WEBHOOK_PRIVATE_NETWORKS allows it`);
    }
    const problem = isIP(host) === 0 ? await nameProblem(host, this.#addresses) : undefined;
    if (problem !== undefined) throw invalidArgument(`url: ${problem}`);
  }

  async #storedTopic(text: string, waits: boolean): Promise<string> {
    const [name, account] = text.split("/");
    if (name === DEPOSIT) {
      if (!account) throw invalidArgument(`the address is missing in "${text}": write ${DEPOSIT}/<address>`);
      const address = await listenedAddress(this.#db, account);
      if (isAliasAddress(address)) throw invalidArgument(`${DEPOSIT} takes an address, not the alias ${account}`);
      return keyOf(DEPOSIT, address);
    }
    const topic = parseTopic(text);
    const { channel } = topic;
    if (waits && !BLOCK_CHANNELS.has(channel)) {
      throw invalidArgument(
        `only ${[...BLOCK_CHANNELS].join(" and ")} can wait for confirmations or finality, not ${channel}`,
      );
    }
    const { address } = await toEventTopic(this.#db, topic);
    return keyOf(channel, address);
  }
}

/** A stored topic as on `/ws`, with an address of 39 characters. */
export function describeTopic(stored: string): string {
  return stored.replace(/\/(.*)$/, (_, address: string) => `/${encodeAddress(Buffer.from(address, "hex"))}`);
}
