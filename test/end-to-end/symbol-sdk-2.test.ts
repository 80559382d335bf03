import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { firstValueFrom, toArray } from "rxjs";
import type {
  AggregateTransaction,
  BalanceTransferReceipt,
  RepositoryFactoryHttp,
  TransferTransaction,
} from "symbol-sdk-v2";
import sdk from "symbol-sdk-v2";
import { hex } from "../../catapult/entity/hex.js";
import type { Devnet } from "../../devnet/devnet.js";
import { RestStack } from "../support/rest-stack.js";
import { aggregatePayload, transferPayload } from "../support/transfers.js";

describe("symbol-sdk 2 reads a devnet chain through the gateway", () => {
  let stack: RestStack;
  let devnet: Devnet;
  let factory: RepositoryFactoryHttp;
  let transferHash: string;
  let aggregateHash: string;
  /** Of the block with both. */
  const HEIGHT = 32;

  beforeAll(async () => {
    stack = await RestStack.start({
      devnet: { seed: "symbol-sdk 2" },
      populate: async (node) => {
        ({ devnet } = node);
        const [from, to] = [node.account("alice"), node.account("bob")];
        await devnet.harvest(HEIGHT - 2);
        transferHash = hex(devnet.announce(transferPayload(devnet, from, to.address, 1_234n)).hash);
        aggregateHash = hex(devnet.announce(aggregatePayload(devnet, from, to, 55n)).hash);
        await devnet.harvest(101);
        devnet.finalize(devnet.height - 10);
      },
    });
    await stack.index.waitFor((head) => head.finalization.height === devnet.finalized.height);
    factory = new sdk.RepositoryFactoryHttp(stack.url, {
      networkType: sdk.NetworkType.TEST_NET,
      generationHash: hex(devnet.generationHashSeed),
      epochAdjustment: devnet.rules.epochAdjustment,
      nodePublicKey: hex(devnet.publicKey),
    });
  });

  afterAll(() => stack?.stop());

  test("chain: height, score and finalization", async () => {
    const info = await firstValueFrom(factory.createChainRepository().getChainInfo());
    expect(info.height.compact()).toBe(devnet.height);
    expect(info.latestFinalizedBlock.height.compact()).toBe(devnet.finalized.height);
    expect(info.latestFinalizedBlock.hash).toBe(hex(devnet.block(devnet.finalized.height).hash));
    expect(info.scoreLow.compact()).toBeGreaterThan(0);
  });

  test("block: by height, by search, every page of a stream, merkle path of a transaction", async () => {
    const blocks = factory.createBlockRepository();
    const block = await firstValueFrom(blocks.getBlockByHeight(sdk.UInt64.fromUint(HEIGHT)));
    expect(block.hash).toBe(hex(devnet.block(HEIGHT).hash));
    expect(block.transactionsCount).toBe(2);
    expect(block.totalTransactionsCount).toBe(4);

    const page = await firstValueFrom(
      blocks.search({ pageSize: 20, order: sdk.Order.Asc, orderBy: sdk.BlockOrderBy.Height }),
    );
    expect(page.data.map(({ height }) => height.compact())).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    const all = await firstValueFrom(blocks.streamer().search({ pageSize: 50, order: sdk.Order.Desc }).pipe(toArray()));
    expect(all.map(({ height }) => height.compact())).toEqual(
      Array.from({ length: devnet.height }, (_, i) => devnet.height - i),
    );

    const proof = await firstValueFrom(blocks.getMerkleTransaction(sdk.UInt64.fromUint(HEIGHT), transferHash));
    expect(proof.merklePath).toHaveLength(1);
  });

  test("transaction: by hash, by search, aggregates with their embedded transactions", async () => {
    const transactions = factory.createTransactionRepository();
    const transfer = (await firstValueFrom(
      transactions.getTransaction(transferHash, sdk.TransactionGroup.Confirmed),
    )) as TransferTransaction;
    expect(transfer.mosaics[0]?.amount.compact()).toBe(1_234);
    expect(transfer.transactionInfo?.height.compact()).toBe(HEIGHT);

    const aggregate = (await firstValueFrom(
      transactions.getTransaction(aggregateHash, sdk.TransactionGroup.Confirmed),
    )) as AggregateTransaction;
    expect(aggregate.innerTransactions.map((inner) => (inner as TransferTransaction).message.payload)).toEqual([
      "there",
      "back",
    ]);
    expect(aggregate.cosignatures).toHaveLength(1);

    const found = await firstValueFrom(
      transactions.search({
        group: sdk.TransactionGroup.Confirmed,
        type: [sdk.TransactionType.TRANSFER],
        height: sdk.UInt64.fromUint(HEIGHT),
      }),
    );
    expect(found.data.map(({ transactionInfo }) => transactionInfo?.hash)).toEqual([transferHash]);
    const both = await firstValueFrom(
      transactions.getTransactionsById([transferHash, aggregateHash], sdk.TransactionGroup.Confirmed),
    );
    expect(both.map(({ type }) => type).sort()).toEqual(
      [sdk.TransactionType.TRANSFER, sdk.TransactionType.AGGREGATE_COMPLETE].sort(),
    );
  });

  test("receipt: statements of the nemesis block and of every harvest", async () => {
    const receipts = factory.createReceiptRepository();
    const nemesis = await firstValueFrom(receipts.searchReceipts({ height: sdk.UInt64.fromUint(1) }));
    expect(nemesis.data.length).toBeGreaterThan(0);
    const harvest = await firstValueFrom(
      receipts.searchReceipts({ receiptTypes: [sdk.ReceiptType.Harvest_Fee], pageSize: 100, order: sdk.Order.Asc }),
    );
    expect(harvest.data.length).toBe(100);
    const types = harvest.data.flatMap((statement) => statement.receipts.map((receipt) => receipt.type));
    expect(types).toContain(sdk.ReceiptType.Harvest_Fee);
    expect((harvest.data[0]?.receipts[0] as BalanceTransferReceipt | undefined)?.amount).toBeDefined();
  });

  test("finalization: proof at an epoch and at a finalized height", async () => {
    const finalization = factory.createFinalizationRepository();
    const proof = await firstValueFrom(finalization.getFinalizationProofAtEpoch(devnet.finalized.epoch));
    expect(proof.height.compact()).toBe(devnet.finalized.height);
    expect(proof.hash).toBe(hex(devnet.block(devnet.finalized.height).hash));
    expect(proof.messageGroups.length).toBeGreaterThan(0);
  });

  test("node: health, info, peers, time, server", async () => {
    const node = factory.createNodeRepository();
    const health = await firstValueFrom(node.getNodeHealth());
    expect([health.apiNode, health.db]).toEqual(["up", "up"]);
    const info = await firstValueFrom(node.getNodeInfo());
    expect(info.publicKey).toBe(hex(devnet.publicKey));
    expect(info.networkGenerationHashSeed).toBe(hex(devnet.generationHashSeed));
    await firstValueFrom(node.getNodePeers());
    const time = await firstValueFrom(node.getNodeTime());
    expect(time.sendTimeStamp?.compact()).toBeGreaterThan(0);
    const server = await firstValueFrom(node.getServerInfo());
    expect(server.restVersion).toMatch(/^\d+\.\d+\.\d+/);
  });
});
