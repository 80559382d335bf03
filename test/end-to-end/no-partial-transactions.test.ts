import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { signData } from "../../catapult/crypto/signature.js";
import { transactionHash } from "../../catapult/entity/hashes.js";
import { hex } from "../../catapult/entity/hex.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { signedAggregate, signedPayload } from "../support/devnet.js";
import { LogLines } from "../support/log-lines.js";
import { RestStack } from "../support/rest-stack.js";

describe("a node without its extension for partial transactions", () => {
  const log = new LogLines();
  const gatewayLog = new LogLines();
  let stack: RestStack;

  beforeAll(async () => {
    stack = await RestStack.start({
      populate: async ({ devnet }) => {
        const { pullPartialTransactionInfos, pushPartialTransactions, pushDetachedCosignatures } = PacketType;
        for (const type of [pullPartialTransactionInfos, pushPartialTransactions, pushDetachedCosignatures])
          devnet.handlers.delete(type);
      },
      indexer: () => ({ log: log.logger }),
      gateway: { log: gatewayLog.logger },
      executes: true,
    });
  });
  afterAll(() => stack?.stop());

  const put = async (path: string, sent: unknown) => {
    const { status, body } = await stack.send("PUT", path, sent);
    return { status, body };
  };

  const rejected = {
    status: 503,
    body: {
      code: "ServiceUnavailable",
      message: "this node takes no partial transactions (extension.partialtransaction)",
    },
  };

  test("bonded aggregates and cosignatures are rejected with the reason, and leave nothing behind", async () => {
    const { devnet } = stack.node;
    const [alice, bob] = devnet.accounts as [DevnetAccount, DevnetAccount];
    const fields = { type: "transfer_transaction_v1", recipientAddress: bob.address, amount: 1n };
    const embedded = [alice, bob].map((signer) => ({ signer, fields }));
    const payload = signedAggregate(devnet, alice, { bonded: true, embedded });
    const hash = transactionHash(payload, devnet.network);
    for (let times = 0; times < 2; times += 1)
      expect(await put("/transactions/partial", { payload: hex(payload) })).toEqual(rejected);
    const cosignature = {
      parentHash: hex(hash),
      signerPublicKey: hex(bob.publicKey),
      signature: hex(signData(bob.privateKey, hash)),
      version: "0",
    };
    expect(await put("/transactions/cosignature", cosignature)).toEqual(rejected);
    expect(await stack.index.db.selectFrom("announcements").selectAll().execute()).toEqual([]);
    const status = await fetch(`${stack.url}/transactionStatus/${hex(hash)}`);
    expect(status.status).toBe(404);
    expect(gatewayLog.matching(/"level":(40|50|60)/)).toEqual([]);
    // All others are taken.
    const transfer = signedPayload(devnet, alice);
    expect((await put("/transactions", { payload: hex(transfer) })).status).toBe(202);
  });

  test("the indexer says so once, and follows the node without an error", async () => {
    await log.waitFor(/does not answer about partial transactions/);
    for (let blocks = 0; blocks < 3; blocks += 1) await stack.harvest();
    expect(log.matching(/"level":(40|50|60)/)).toEqual([expect.stringMatching(/extension\.partialtransaction/)]);
  });
});
