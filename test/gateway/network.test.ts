import { describe, expect, test } from "@jest/globals";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { deriveDevnetKeys } from "../../devnet/network/keys.js";
import { describeRecorded } from "../support/describe-chains.js";
import { publishedApi } from "../support/openapi.js";
import type { TestAnswer } from "../support/rest-client.js";
import { RestStack } from "../support/rest-stack.js";
import type { ServedGateway } from "../support/served-gateway.js";
import { transferPayload } from "../support/transfers.js";
import { GatewayFixture } from "./gateway-fixture.js";

const published = publishedApi();

const { nemesis, users } = deriveDevnetKeys("development");
const alice = users[0]!.signer;

async function ask(served: ServedGateway, path: string): Promise<TestAnswer> {
  const answer = await served.get(path);
  if (answer.status === 200 && /^\/(network|node)/.test(path) && answer.body !== undefined) {
    expect(published.validateResponse("GET", path, answer.status, answer.body)).toEqual([]);
  }
  return answer;
}

describe("a devnet's network", () => {
  const stack = RestStack.use({
    populate: async ({ devnet }) => {
      const [from, to] = devnet.accounts as [DevnetAccount, DevnetAccount];
      devnet.announce(transferPayload(devnet, from, to.address, 1n));
      await devnet.harvest(4);
    },
    gateway: {
      uncirculatingPublicKeys: [alice.publicKey, alice.publicKey, nemesis.publicKey],
      nodeMetadata: { deploymentTool: "by hand" },
    },
  });

  const get = (path: string) => ask(stack, path);

  test("/network", async () => {
    const seed = stack.node.devnet.generationHashSeed.toString("hex").toUpperCase().slice(0, 8);
    expect((await get("/network")).body).toEqual({
      name: "testnet",
      description: `Symbol network of type devnet with generation hash seed ${seed}…`,
    });
    expect(await stack.ask("{ network { uniqueName } }")).toEqual({
      data: { network: { uniqueName: `devnet-${seed}` } },
    });
  });

  test("/network/properties", async () => {
    const { body } = await get("/network/properties");
    expect(body.chain.currencyMosaicId.replaceAll("'", "")).toBe(
      `0x${stack.node.devnet.currencyMosaicId.toString(16).toUpperCase().padStart(16, "0")}`,
    );
    expect(body.plugins.aggregate.enableBondedAggregateSupport).toBe(true);
  });

  test("/network/fees/transaction: the nemesis block and other empty blocks count as the default", async () => {
    const { rules } = stack.node.devnet;
    const { data } = (await get("/blocks")).body as { data: { block: { feeMultiplier: number } }[] };
    const multipliers = data.map(({ block }) => block.feeMultiplier);
    const defaulted = multipliers.map((one) => one || rules.defaultDynamicFeeMultiplier).sort((a, b) => a - b);
    expect((await get("/network/fees/transaction")).body).toEqual({
      averageFeeMultiplier: Math.floor(defaulted.reduce((sum, one) => sum + one) / 5),
      medianFeeMultiplier: defaulted[2],
      highestFeeMultiplier: Math.max(...multipliers),
      lowestFeeMultiplier: Math.min(...multipliers),
      minFeeMultiplier: rules.minFeeMultiplier,
    });
  });

  test("/network/fees/rental", async () => {
    const { rules } = stack.node.devnet;
    const multiplier = BigInt((await get("/network/fees/transaction")).body.medianFeeMultiplier);
    expect((await get("/network/fees/rental")).body).toEqual({
      effectiveRootNamespaceRentalFeePerBlock: String(multiplier * rules.rootNamespaceRentalFeePerBlock),
      effectiveChildNamespaceRentalFee: String(multiplier * rules.childNamespaceRentalFee),
      effectiveMosaicRentalFee: String(multiplier * rules.mosaicRentalFee),
    });
  });

  test("/network/inflation", async () => {
    const { body } = await get("/network/inflation");
    expect(body[0].rewardAmount).toBe(String(stack.node.devnet.rules.inflation));
    const first = Number(body[0].startHeight);
    expect((await get(`/network/inflation/at/${first + 1000}`)).body).toEqual(body[0]);
    expect((await get("/network/inflation/at/x")).status).toBe(400);
  });

  test("/network/currency/supply", async () => {
    const { devnet } = stack.node;
    const { initialCurrencyAtomicUnits, inflation, maxMosaicAtomicUnits } = devnet.rules;
    const whole = (amount: bigint) => `${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, "0")}`;
    const total = (await get("/network/currency/supply/total")).text;
    const mined = [4n, 5n].map((blocks) => whole(initialCurrencyAtomicUnits + blocks * inflation));
    expect(mined).toContain(total);
    expect((await get("/network/currency/supply/max")).text).toBe(whole(maxMosaicAtomicUnits));
    const held = [alice, nemesis]
      .map(({ publicKey }) => devnet.balanceOf(addressOfPublicKey(publicKey, devnet.network.identifier)))
      .reduce((sum, one) => sum + one);
    expect(held).toBeGreaterThan(0n);
    const atomic = BigInt(total.replace(".", ""));
    expect((await get("/network/currency/supply/circulating")).text).toBe(whole(atomic - held));
  });

  test("/node/storage counts the rows", async () => {
    const { body } = await get("/node/storage");
    expect(body).toMatchObject({ numBlocks: 5, numAccounts: (await get("/accounts")).body.pagination.totalEntries });
    expect(body.numTransactions).toBe(
      (await get("/transactions/confirmed?embedded=true")).body.pagination.totalEntries,
    );
    const { numObjects, ...figures } = body.database;
    expect(numObjects).toBeGreaterThanOrEqual(0);
    for (const figure of Object.values(figures)) expect(figure).toBeGreaterThan(0);
  });

  test("/node/unlockedaccount", async () => {
    const { body } = await get("/node/unlockedaccount");
    expect(body.unlockedAccount).toHaveLength(1);
  });

  test("/node/metadata", async () => {
    expect((await get("/node/metadata")).body).toEqual({ deploymentTool: "by hand" });
  });
});

describeRecorded("the recorded network's resources", (chain) => {
  const gateway = GatewayFixture.use(3, { resourcesDirectory: chain.path("resources") });

  test("properties equal the file, by section", async () => {
    const { body } = await ask(gateway, "/network/properties");
    expect(Object.keys(body)).toEqual(["network", "chain", "plugins", "forkHeights"]);
    expect(body.network).toEqual({
      identifier: "testnet",
      nodeEqualityStrategy: "public-key",
      nemesisSignerPublicKey: "8C0AD5E66B4C86D718441B2213E99F990B527ADC2A204A00C97584EF8C693D61",
      generationHashSeed: "06416A9F26D83DDBDEFBF188A31A5E1728995EF2BF66A22961F7E9E663E5048B",
      epochAdjustment: "1573430400s",
    });
    expect(body.chain).toMatchObject({ enableVerifiableState: true, currencyMosaicId: "0x2F6F'F2A3'1133'487F" });
    expect(body.forkHeights.skipSecretLockExpirations).toBe("555'555, 444'444");
    expect(Object.keys(body.plugins)).toContain("restrictionmosaic");
    expect(body.plugins.aggregate).toMatchObject({
      maxTransactionsPerAggregate: "1'000",
      enableStrictCosignatureCheck: false,
      maxBondedTransactionLifetime: "48h",
    });
  });

  test("inflation by height", async () => {
    const first = { startHeight: "1", rewardAmount: "100" };
    const second = { startHeight: "10000", rewardAmount: "0" };
    expect((await ask(gateway, "/network/inflation")).body).toEqual([first, second]);
    for (const [height, step] of [
      ["1", first],
      ["9999", first],
      ["10000", second],
      ["18446744073709551615", second],
    ] as const)
      expect((await ask(gateway, `/network/inflation/at/${height}`)).body).toEqual(step);
  });
});
