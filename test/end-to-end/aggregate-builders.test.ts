import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Hash256, PrivateKey } from "symbol-sdk";
import { descriptors, models, type SymbolFacade } from "symbol-sdk/symbol";
import sdk from "symbol-sdk-v2";
import { hex } from "../../catapult/entity/hex.js";
import { idText } from "../../catapult/json/format.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { RestStack } from "../support/rest-stack.js";
import { devnetFacade } from "../support/transaction-maker.js";
import { until } from "../support/until.js";

const FEE_MULTIPLIER = 100;
const DEADLINE_SECONDS = 2 * 60 * 60;
const LOCK_BLOCKS = 100;
const NETWORK = sdk.NetworkType.TEST_NET;

/** A signed aggregate of a client: its payload, and its hash. */
interface Made {
  readonly payload: string;
  /** Upper-case hex. */
  readonly hash: string;
}

/** The aggregates that one version of the SDK builds, by its own builders alone. */
interface Builder {
  /** A swap between the first two accounts, with the second's cosignature. */
  complete(): Made;
  /** The same without the second account's cosignature, and its lock. */
  bonded(): { readonly aggregate: Made; readonly lock: Made };
  /** The second account's cosignature in the form of REST. */
  cosign(hash: string): object;
}

describe("a devnet with default settings confirms the aggregates that are built by", () => {
  let stack: RestStack;
  let accounts: readonly [DevnetAccount, DevnetAccount];

  beforeAll(async () => {
    stack = await RestStack.start({ devnet: { seed: "aggregate builders" } });
    const [first, second] = stack.node.devnet.accounts;
    accounts = [first!, second!];
  });

  afterAll(() => stack?.stop());

  const seed = () => hex(stack.node.devnet.generationHashSeed);

  async function put(path: string, body: object): Promise<void> {
    expect(await stack.send("PUT", path, body)).toMatchObject({ status: 202 });
  }

  async function confirmed({ hash }: Made): Promise<void> {
    const { devnet } = stack.node;
    await until(() => devnet.isUnconfirmed(Buffer.from(hash, "hex")), `${hash} is unconfirmed`);
    await stack.harvest();
    expect(devnet.isConfirmed(Buffer.from(hash, "hex"))).toBe(true);
  }

  async function expectThird({ hash }: Made): Promise<void> {
    const response = await fetch(`${stack.url}/transactions/confirmed/${hash}`);
    const { transaction } = (await response.json()) as { transaction: Record<string, unknown> };
    expect(transaction).toMatchObject({ version: 3, cosignatures: [expect.anything()] });
    expect(transaction.transactions).toHaveLength(2);
  }

  const builders: readonly (readonly [string, () => Builder])[] = [
    ["symbol-sdk 2.0.7", () => second(accounts)],
    ["symbol-sdk 3.3.2", () => third(accounts)],
  ];

  test.each(builders)("%s, complete and bonded", async (_name, create) => {
    const builder = create();
    const complete = builder.complete();
    await put("/transactions", { payload: complete.payload });
    await confirmed(complete);
    await expectThird(complete);

    const { aggregate, lock } = builder.bonded();
    await put("/transactions", { payload: lock.payload });
    await confirmed(lock);
    await put("/transactions/partial", { payload: aggregate.payload });
    const { devnet } = stack.node;
    await until(() => devnet.isPartial(Buffer.from(aggregate.hash, "hex")), "the aggregate is pending");
    await put("/transactions/cosignature", builder.cosign(aggregate.hash));
    await confirmed(aggregate);
    await expectThird(aggregate);
    expect(devnet.rejections).toEqual([]);
  });

  /** `symbol-sdk` 2 */
  function second(parties: readonly DevnetAccount[]): Builder {
    const { devnet } = stack.node;
    const [alice, bob] = parties.map((one) => sdk.Account.createFromPrivateKey(hex(one.privateKey), NETWORK)) as [
      sdk.Account,
      sdk.Account,
    ];
    const deadline = () => sdk.Deadline.create(devnet.rules.epochAdjustment);
    const currency = (amount: number) =>
      new sdk.Mosaic(new sdk.MosaicId(idText(devnet.currencyMosaicId)), sdk.UInt64.fromUint(amount));
    const swap = () =>
      [
        [alice, bob],
        [bob, alice],
      ].map(([from, to]) =>
        sdk.TransferTransaction.create(
          deadline(),
          to!.address,
          [currency(1)],
          sdk.PlainMessage.create("swap"),
          NETWORK,
        ).toAggregate(from!.publicAccount),
      );
    const made = ({ payload, hash }: sdk.SignedTransaction): Made => ({ payload, hash });
    return {
      complete: () => {
        const aggregate = sdk.AggregateTransaction.createComplete(deadline(), swap(), NETWORK, []);
        const fee = aggregate.setMaxFeeForAggregate(FEE_MULTIPLIER, 1);
        return made(alice.signTransactionWithCosignatories(fee as sdk.AggregateTransaction, [bob], seed()));
      },
      bonded: () => {
        const aggregate = sdk.AggregateTransaction.createBonded(deadline(), swap(), NETWORK);
        const signed = alice.sign(aggregate.setMaxFeeForAggregate(FEE_MULTIPLIER, 1), seed());
        const lock = sdk.HashLockTransaction.create(
          deadline(),
          currency(Number(devnet.rules.lockedFundsPerAggregate)),
          sdk.UInt64.fromUint(LOCK_BLOCKS),
          signed,
          NETWORK,
        );
        return { aggregate: made(signed), lock: made(alice.sign(lock.setMaxFee(FEE_MULTIPLIER), seed())) };
      },
      cosign: (hash) => {
        const { parentHash, signature, signerPublicKey, version } = sdk.CosignatureTransaction.signTransactionHash(
          bob,
          hash,
        );
        return { parentHash, signature, signerPublicKey, version: version.toString() };
      },
    };
  }

  /** `symbol-sdk` 3 */
  function third(parties: readonly DevnetAccount[]): Builder {
    const { devnet } = stack.node;
    const facade = devnetFacade(devnet);
    type Account = ReturnType<SymbolFacade["createAccount"]>;
    const [alice, bob] = parties.map((one) => facade.createAccount(new PrivateKey(new Uint8Array(one.privateKey)))) as [
      Account,
      Account,
    ];
    const currency = (amount: bigint) =>
      new descriptors.UnresolvedMosaicDescriptor(
        new models.UnresolvedMosaicId(devnet.currencyMosaicId),
        new models.Amount(amount),
      );
    const swap = () =>
      [
        [alice, bob],
        [bob, alice],
      ].map(([from, to]) =>
        facade.createEmbeddedTransactionFromTypedDescriptor(
          new descriptors.TransferTransactionV1Descriptor(to!.address, [currency(1n)]),
          from!.publicKey,
        ),
      );
    type Descriptor = Parameters<SymbolFacade["createTransactionFromTypedDescriptor"]>[0];
    const create = (descriptor: Descriptor, cosignatures = 0) =>
      facade.createTransactionFromTypedDescriptor(
        descriptor,
        alice.publicKey,
        FEE_MULTIPLIER,
        DEADLINE_SECONDS,
        cosignatures,
      );
    const attach = (transaction: models.Transaction): Made => {
      facade.transactionFactory.static.attachSignature(transaction, alice.signTransaction(transaction));
      const payload = hex(Buffer.from(transaction.serialize()));
      return { payload, hash: facade.hashTransaction(transaction).toString() };
    };
    return {
      complete: () => {
        const embedded = swap();
        const root = facade.static.hashEmbeddedTransactions(embedded);
        const aggregate = create(new descriptors.AggregateCompleteTransactionV3Descriptor(root, embedded), 1);
        const { hash } = attach(aggregate);
        const cosignature = bob.cosignTransaction(aggregate) as models.Cosignature;
        (aggregate as models.AggregateCompleteTransactionV3).cosignatures.push(cosignature);
        return { payload: hex(Buffer.from(aggregate.serialize())), hash };
      },
      bonded: () => {
        const embedded = swap();
        const root = facade.static.hashEmbeddedTransactions(embedded);
        const aggregate = attach(create(new descriptors.AggregateBondedTransactionV3Descriptor(root, embedded), 1));
        const lock = create(
          new descriptors.HashLockTransactionV1Descriptor(
            currency(devnet.rules.lockedFundsPerAggregate),
            new models.BlockDuration(BigInt(LOCK_BLOCKS)),
            new Hash256(aggregate.hash),
          ),
        );
        return { aggregate, lock: attach(lock) };
      },
      cosign: (hash) => {
        const cosignature = bob.cosignTransactionHash(new Hash256(hash), true) as models.DetachedCosignature;
        const { version, signerPublicKey, signature } = cosignature;
        return {
          parentHash: hash,
          version: String(version),
          signerPublicKey: signerPublicKey.toString(),
          signature: signature.toString(),
        };
      },
    };
  }
});
