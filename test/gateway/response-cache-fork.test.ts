import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { encodeAddress } from "../../catapult/entity/address.js";
import type { Gateway } from "../../gateway/server.js";
import { RestStack } from "../support/rest-stack.js";
import { startTestGateway } from "../support/test-gateway.js";
import { transferPayload } from "../support/transfers.js";
import { until } from "../support/until.js";

const FORKS = 4;
/** The first two fill a gateway's cache; a later one is answered from it. */
const TIMES = 3;

const stack = RestStack.use();
let other: Gateway;
let urls: readonly string[];

beforeAll(async () => {
  // As a worker or a gateway on another machine: they share only the database.
  other = await startTestGateway({ databaseUrl: stack.index.url, nodes: [stack.node.devnet] });
  urls = [stack.url, `http://127.0.0.1:${other.port}`];
});

afterAll(() => other?.stop());

interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly text: string;
}

async function get(url: string, etag = ""): Promise<Answer> {
  const response = await fetch(url, { headers: { "if-none-match": etag } });
  return { status: response.status, etag: response.headers.get("etag"), text: await response.text() };
}

/** Whether a gateway has been notified of all changes of the database. */
async function isNotified(url: string): Promise<boolean> {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "{ gateway { eventSequence } }" }),
  });
  const { data } = (await response.json()) as { data: { gateway: { eventSequence: number } } };
  const { rows } = await sql<{ newest: string }>`select max(sequence) as newest from events`.execute(stack.index.db);
  return data.gateway.eventSequence === Number(rows[0]?.newest);
}

test("after a fork at the same height no gateway answers from its cache, and none confirms an old copy of a client", async () => {
  const { devnet } = stack.node;
  const [from, to] = [stack.node.account("alice"), stack.node.account("bob")];
  await stack.harvest();
  const height = devnet.height;
  const paths = [
    `/blocks/${height}`,
    "/blocks?pageSize=10",
    "/transactions/confirmed?pageSize=10&embedded=true",
    `/accounts/${encodeAddress(from.address)}`,
  ];
  const seen = new Set<string>();
  /** The tag of each path before the last fork. */
  const earlier = new Map<string, string>();
  for (let fork = 0; fork < FORKS; fork++) {
    const transfer = transferPayload(devnet, from, to.address, BigInt(fork + 1));
    devnet.fork({ from: height - 1, blocks: 1, transactions: [[transfer]] });
    expect(devnet.height).toBe(height);
    await stack.caughtUp();
    // Until then it may answer as before: docs/rest.md.
    for (const url of urls) await until(() => isNotified(url), "the gateway is notified of the fork");
    for (const path of paths) {
      const answers: Answer[] = [];
      for (let time = 0; time < TIMES; time++) {
        for (const url of urls) answers.push(await get(`${url}${path}`, earlier.get(path)));
      }
      const [first] = answers as [Answer];
      for (const answer of answers) expect({ path, ...answer }).toEqual({ path, ...first, status: 200 });
      expect({ path, fork, isNew: !seen.has(first.text) }).toEqual({ path, fork, isNew: true });
      seen.add(first.text);
      for (const url of urls) expect((await get(`${url}${path}`, first.etag ?? "")).status).toBe(304);
      earlier.set(path, first.etag ?? "");
    }
  }
});
