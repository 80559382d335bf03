import { beforeAll, describe, expect, test } from "@jest/globals";
import { AGGREGATE, TRANSACTION, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import type { SimulationBody } from "../../catapult/json/simulation.js";
import { GatewayClient } from "../../client/index.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { RestStack } from "../support/rest-stack.js";
import { startTestGateway } from "../support/test-gateway.js";
import { TransactionMaker } from "../support/transaction-maker.js";

const MILLION = 1_000_000n;
const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

const stack = RestStack.use({ executes: true });
let make: TransactionMaker;
let alice: DevnetAccount;
let bob: DevnetAccount;
let carol: DevnetAccount;
let currency: bigint;

beforeAll(async () => {
  const { devnet } = stack.node;
  make = new TransactionMaker(devnet);
  [alice, bob, carol] = devnet.accounts as [DevnetAccount, DevnetAccount, DevnetAccount];
  currency = devnet.currencyMosaicId;
});

const request = (body: unknown) => stack.post("/transactions/simulate", body);

async function simulate(payloads: readonly Buffer[], unsigned = false): Promise<SimulationBody[]> {
  const { status, body } = await request({ payloads: payloads.map(hex), unsigned });
  expect(status).toBe(200);
  return body;
}

function transfer(to: Buffer, amount: bigint) {
  return {
    type: "transfer_transaction_v1",
    recipientAddress: new Uint8Array(to),
    mosaics: [{ mosaicId: currency, amount }],
  };
}

/** A bonded aggregate in which bob pays carol, signed by alice alone, and its lock. */
function bondedWithLock(amount: bigint) {
  const bonded = make.aggregate(
    {
      signer: alice,
      isBonded: true,
      embedded: [
        make.embedded(alice, transfer(carol.address, 1n)),
        make.embedded(bob, transfer(carol.address, amount)),
      ],
    },
    { cosignaturesToCome: 1 },
  );
  const lock = make.transaction(alice, {
    type: "hash_lock_transaction_v1",
    mosaic: { mosaicId: currency, amount: 10n * MILLION },
    duration: 100n,
    hash: new Uint8Array(make.hashOf(bonded)),
  });
  return { bonded, lock };
}

function unsigned(payload: Buffer): Buffer {
  const bytes = Buffer.from(payload);
  bytes.fill(0, VERIFIABLE.signature, VERIFIABLE.signerPublicKey);
  return bytes;
}

describe("POST /transactions/simulate", () => {
  test("says what a transfer changes and costs, and announcing it changes just that", async () => {
    const payload = make.transaction(alice, transfer(bob.address, 5n * MILLION));
    const { body } = await request({ payload: hex(payload) });
    const [{ fee, balances, ...others }] = body as [SimulationBody];
    expect(others).toEqual({
      hash: hex(make.hashOf(payload)),
      code: "Success",
      height: String(stack.node.devnet.height),
      receipts: [],
      entries: [alice, bob].map(({ address }) => ({ kind: "account", key: hex(address), change: "changed" })),
      missingCosignatures: [],
    });
    expect(fee).toMatchObject({ size: payload.length, maxFee: String(payload.readBigUInt64LE(TRANSACTION.maxFee)) });
    expect(BigInt(fee.expected)).toBe(BigInt(Math.min(fee.feeMultiplier, 100)) * BigInt(payload.length));

    const changeOf = (address: Buffer) => {
      const { before, after } = balances.find((one) => one.address === hex(address))!;
      return BigInt(after) - BigInt(before);
    };
    expect(changeOf(bob.address)).toBe(5n * MILLION);
    expect(changeOf(alice.address)).toBe(-5n * MILLION - BigInt(fee.expected));
    stack.node.devnet.announce(payload);
    await stack.harvest();
    const { account } = (await stack.get(`/accounts/${hex(bob.publicKey)}`)).body;
    const after = balances.find((one) => one.address === hex(bob.address))!;
    expect(account.mosaics).toContainEqual({ id: after.mosaicId, amount: after.after });
    expect((await simulate([payload]))[0]!.code).toBe("Failure_Hash_Already_Exists");
  });

  test("tries each one on the state after those before it", async () => {
    const dave = make.transaction(carol, transfer(bob.address, 1n));
    const [all] = await simulate([dave]);
    const has = BigInt(all!.balances.find(({ address }) => address === hex(carol.address))!.before);
    const first = make.transaction(carol, transfer(bob.address, has - 100_000n));
    const second = make.transaction(carol, transfer(bob.address, 100_000n));
    expect((await simulate([first, second])).map(({ code }) => code)).toEqual([
      "Success",
      "Failure_Core_Insufficient_Balance",
    ]);
    expect((await simulate([second, dave])).map(({ code }) => code)).toEqual(["Success", "Success"]);
  });

  test("names the cosigners and the lock that a bonded aggregate lacks", async () => {
    const { bonded, lock } = bondedWithLock(7n);
    const missing = [{ address: hex(bob.address), needed: 1, cosigners: [hex(bob.address)] }];
    const [alone] = await simulate([bonded]);
    expect(alone).toMatchObject({
      code: "Failure_LockHash_Unknown_Hash",
      hasLock: false,
      missingCosignatures: missing,
    });
    const [first, then] = await simulate([lock, bonded]);
    expect(first).toMatchObject({ code: "Success" });
    expect(first!.entries).toContainEqual({ kind: "hashLock", key: hex(make.hashOf(bonded)), change: "created" });
    expect(first!.receipts).toEqual([
      expect.objectContaining({ targetAddress: hex(alice.address), amount: String(10n * MILLION) }),
    ]);
    expect(then).toMatchObject({ code: "Success", hasLock: true, missingCosignatures: missing });
    expect(then!.fee.size).toBe(bonded.length + 104);
  });

  test("has the same in GraphQL, field by field", async () => {
    const payloads = [bondedWithLock(7n).bonded].map(hex);
    const query = `query ($payloads: [Hex!]!) { found: simulate(payloads: $payloads) {
      hash code reason height hasLock body
      fee { size maxFee feeMultiplier expected minimum } balances { address mosaicId before after }
      entries { kind key change } missingCosignatures { address needed cosigners } } }`;
    const { data, errors } = await stack.ask(query, { payloads });
    expect(errors).toBeUndefined();
    const { body: found, ...fields } = data.found[0];
    const [body] = await simulate(payloads.map((payload) => Buffer.from(payload, "hex")));
    expect(found).toEqual(body);
    const { receipts: _, ...others } = body!;
    expect(fields).toEqual({ ...others, height: Number(others.height), reason: null });
  });

  test("has the same in the client package", async () => {
    const client = new GatewayClient(stack.url);
    const { bonded, lock } = bondedWithLock(7n);
    expect(await client.simulate([lock, bonded].map(hex))).toEqual(await simulate([lock, bonded]));
    const bare = hex(unsigned(bonded));
    expect((await client.simulate([bare])).map(({ code }) => code)).toEqual([
      "Failure_Consumer_Batch_Signature_Not_Verifiable",
    ]);
    expect((await client.simulate([bare], { unsigned: true })).map(({ code }) => code)).toEqual(["Success"]);
    await expect(client.simulate(["00"])).rejects.toMatchObject({ status: 400, code: "InvalidContent" });
  });

  test("without the rules of the network: what is no transaction is still named as such", async () => {
    const { devnet } = stack.node;
    const gateway = await startTestGateway({ databaseUrl: stack.index.url, nodes: [devnet] });
    try {
      const client = new GatewayClient(`http://127.0.0.1:${gateway.port}`);
      await expect(client.simulate(["00"])).rejects.toMatchObject({ status: 400, code: "InvalidContent" });
      const payload = make.transaction(alice, transfer(bob.address, 1n));
      const wanting = client.simulate([hex(payload)]);
      await expect(wanting).rejects.toMatchObject({
        status: 503,
        message: expect.stringContaining("CATAPULT_RESOURCES"),
      });
    } finally {
      await gateway.stop();
    }
  });

  test("of an unsigned aggregate, checks what it contains", async () => {
    const { bonded } = bondedWithLock(7n);
    const [simulated] = await simulate([unsigned(bonded)], true);
    expect(simulated).toMatchObject({ code: "Success", missingCosignatures: [{ address: hex(bob.address) }] });
    expect(simulated!.balances).toContainEqual(expect.objectContaining({ address: hex(carol.address) }));
    const tooMuch = unsigned(bondedWithLock(10n ** 18n).bonded);
    expect((await simulate([tooMuch], true))[0]!.code).toBe("Failure_Core_Insufficient_Balance");
  });

  test("gives what needs no state the node's code, and names the field", async () => {
    const payload = unsigned(make.transaction(alice, transfer(bob.address, 1n)));
    expect((await simulate([payload]))[0]).toMatchObject({
      code: "Failure_Consumer_Batch_Signature_Not_Verifiable",
      reason: expect.stringContaining("transaction.signature"),
    });
    const cheap = make.transaction(alice, transfer(bob.address, 1n), { feeMultiplier: 1 });
    const [low] = await simulate([cheap]);
    expect(low!.code).toBe("Failure_Core_Invalid_Transaction_Fee");
    expect(low!.reason).toContain(`no less than ${low!.fee.minimum}`);
    const { bonded } = bondedWithLock(1n);
    const broken = Buffer.from(bonded);
    broken.fill(1, AGGREGATE.transactionsHash, AGGREGATE.payloadSize);
    expect((await simulate([broken]))[0]!.code).toBe("Failure_Aggregate_Transactions_Hash_Mismatch");
  });

  test("rejects what is no transaction, and a wrong number of payloads", async () => {
    expect(await request({ payloads: ["00"] }).then(({ status }) => status)).toBe(400);
    const one = hex(make.transaction(alice, transfer(bob.address, 1n)));
    const wrong = [{}, { payloads: [] }, { payload: one, payloads: [one] }, { payloads: Array(21).fill(one) }];
    expect(await Promise.all(wrong.map((body) => request(body).then(({ status }) => status)))).toEqual([
      409, 409, 409, 409,
    ]);
  });
});
