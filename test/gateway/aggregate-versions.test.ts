import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { signedAggregate } from "../support/devnet.js";
import { RestStack } from "../support/rest-stack.js";

const FORKS = { strictAggregateTransactionHash: 4, uniqueAggregateTransactionHash: 6 };

let stack: RestStack;

beforeAll(async () => {
  stack = await RestStack.start({ devnet: { rules: FORKS } });
});

afterAll(() => stack?.stop());

/** The gateway's answer to an aggregate of a version: the rejection code, or that it was accepted. */
async function announce(version: 1 | 2 | 3): Promise<string> {
  const { devnet } = stack.node;
  const [alice] = devnet.accounts;
  const payload = signedAggregate(devnet, alice!, { version, embedded: [{ signer: alice!, fields: {} }] });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ payload: payload.toString("hex") });
  const response = await fetch(`${stack.url}/transactions`, { method: "PUT", headers, body });
  const { message } = (await response.json()) as { message: string };
  return response.status === 202 ? "taken" : `${response.status} ${/Failure_\w+/.exec(message)?.[0]}`;
}

test("aggregates are checked by the rules of the node's next block, as soon as these change", async () => {
  const seen = [];
  for (;;) {
    const { height } = stack.node.devnet;
    seen.push([height + 1, await announce(1), await announce(2), await announce(3)]);
    if (height + 1 >= FORKS.uniqueAggregateTransactionHash) break;
    await stack.node.devnet.harvest(1);
  }
  const prohibited = (version: number) => `409 Failure_Aggregate_V${version}_Prohibited`;
  expect(seen).toEqual([
    [2, "taken", prohibited(2), prohibited(3)],
    [3, "taken", prohibited(2), prohibited(3)],
    [4, prohibited(1), "taken", prohibited(3)],
    [5, prohibited(1), "taken", prohibited(3)],
    [6, prohibited(1), prohibited(2), "taken"],
  ]);
});
