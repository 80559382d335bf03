import { expect, test } from "@jest/globals";
import { signedAggregate } from "../support/devnet.js";
import { RestStack } from "../support/rest-stack.js";

const FORKS = { strictAggregateTransactionHash: 4, uniqueAggregateTransactionHash: 6 };

const stack = RestStack.use({ devnet: { rules: FORKS } });

/** The gateway's answer to an aggregate of a version: the rejection code, or that it was accepted. */
async function announce(version: 1 | 2 | 3): Promise<string> {
  const { devnet } = stack.node;
  const [alice] = devnet.accounts;
  const payload = signedAggregate(devnet, alice!, { version, embedded: [{ signer: alice!, fields: {} }] });
  const { status, body } = await stack.send("PUT", "/transactions", { payload: payload.toString("hex") });
  return status === 202 ? "taken" : `${status} ${/Failure_\w+/.exec(body.message)?.[0]}`;
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
