import { expect, test } from "@jest/globals";
import { makeExtensions } from "../../cli/parts/extensions.js";
import type { MempoolResponse, MempoolTransactionResponse, Transaction } from "../../mesh/standard/schemas.js";
import { SCENARIO_RULES } from "../devnet/scenario-stages.js";
import { playScenario } from "../support/devnet-scenario.js";
import { addOperations, ChainFollower, compareBalances } from "../support/mesh-balances.js";
import { MeshClient } from "../support/mesh-client.js";
import { RestStack } from "../support/rest-stack.js";
import { transferPayload } from "../support/transfers.js";

const stack = RestStack.use({
  devnet: { zmqPort: 0, rules: { ...SCENARIO_RULES } },
  populate: playScenario,
  gateway: { extensions: makeExtensions({ MESH_PATH: "/mesh" }) },
});
const mesh = new MeshClient(stack);

const hexOf = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

test("with every transaction type on a devnet, operations are the balance changes, also after a fork", async () => {
  const { devnet } = stack.node;
  const follower = await ChainFollower.start(mesh, stack.index.db);
  const expected = await follower.follow(devnet.height);
  const types = expected.flatMap(({ block }) =>
    block.transactions.flatMap(({ operations }) => operations.map(({ type }) => type)),
  );
  const balances = await compareBalances(mesh, expected);
  expect(balances).toBeGreaterThan(200);
  expect(types).toEqual(
    expect.arrayContaining([
      ...["transfer", "fee", "harvest_fee", "mosaic_supply_change", "mosaic_supply_revocation", "namespace_rental_fee"],
      ...["mosaic_rental_fee", "hash_lock_created", "hash_lock_completed", "hash_lock_expired", "secret_lock_created"],
      ...["secret_lock_completed", "secret_lock_expired", "cosign", "multisig_account_modification"],
    ]),
  );
  devnet.fork({ from: devnet.height - 10, blocks: 12 });
  await stack.caughtUp();
  const afterFork = await ChainFollower.start(mesh, stack.index.db);
  await compareBalances(mesh, await afterFork.follow(devnet.height));
});

test("a pending transaction has the operations that it will have, with its maximum fee, and none of them counts yet", async () => {
  const { devnet } = stack.node;
  const [from, to] = [stack.node.account("alice"), stack.node.account("bob")];
  await stack.node.client.pushTransactions([transferPayload(devnet, from, to.address, 123n)]);
  // The transactions of blocks that the fork dropped are pending again.
  let transaction: Transaction | undefined;
  while (!transaction) {
    for (const transaction_identifier of (await mesh.ask<MempoolResponse>("/mempool")).transaction_identifiers) {
      const pending = await mesh.ask<MempoolTransactionResponse>("/mempool/transaction", { transaction_identifier });
      if (pending.transaction.operations[1]?.amount?.value === "123") transaction = pending.transaction;
    }
  }
  const { operations, transaction_identifier } = transaction;
  expect(operations.map(({ type, status }) => [type, status])).toEqual([
    ["transfer", "PENDING"],
    ["transfer", "PENDING"],
    ["fee", "PENDING"],
  ]);
  expect(operations[1]?.related_operations).toEqual([{ index: 0 }]);
  const fee = BigInt(operations[2]?.amount?.value ?? 0);
  expect(fee).toBe(-BigInt(String(transaction.metadata?.max_fee)));
  const amounts = [...addOperations(new Map(), operations).values()].sort();
  expect(amounts).toEqual([-123n + fee, 123n].sort());

  const unknown = { transaction_identifier: { hash: hexOf(Buffer.alloc(32, 7)) } };
  expect(await mesh.fail("/mempool/transaction", unknown)).toMatchObject({ code: 8, retriable: true });
  await stack.harvest();
  expect(await mesh.fail("/mempool/transaction", { transaction_identifier })).toMatchObject({ code: 8 });
});
