import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { idText } from "../../catapult/json/format.js";
import { type InflationStep, inflationStepAt, inflationSteps } from "../../catapult/network/inflation.js";
import type { Properties } from "../../catapult/network/properties.js";
import { publicNetwork } from "../../catapult/network/public-networks.js";
import { readBalance } from "../../database/queries/accounts.js";
import { readSupply } from "../../database/queries/mosaics.js";
import { findFirstNameOfMosaic } from "../../database/queries/namespace-names.js";
import { readNetworkIdentity } from "../../database/queries/network.js";
import { serviceUnavailable } from "../errors/errors.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { formatWholeUnits } from "../graph/formats.js";
import { blockField } from "../graph/loaders.js";
import { members } from "../graph/members.js";
import { stateDb } from "../graph/state.js";
import { resourcesOf } from "./resources.js";

interface Currency {
  readonly mosaicId: bigint;
  readonly divisibility: number;
  /** Atomic units, like the next. */
  readonly supply: bigint;
  readonly properties: Properties;
}

const CurrencyType = builder.objectRef<Currency>("Currency").implement({
  description: "The mosaic of fees. Its supplies are in whole units with all decimal places.",
  fields: (t) => ({
    ...members(t, {
      mosaicId: ["ArtifactId", "Id of the currency mosaic."],
      divisibility: ["Int", "Number of decimal places."],
    }),
    name: t.string({
      nullable: true,
      description:
        "Full name of the namespace that the first block links to it, such as symbol.xym; null if there is none.",
      resolve: async ({ mosaicId }, _args, { db }) => (await findFirstNameOfMosaic(db, mosaicId)) ?? null,
    }),
    maxSupply: t.string({
      description: "Maximum supply.",
      resolve: ({ properties, divisibility }) =>
        formatWholeUnits(properties.section("chain").bigint("maxMosaicAtomicUnits"), divisibility),
    }),
    totalSupply: t.string({
      description: "Current supply.",
      resolve: ({ supply, divisibility }) => formatWholeUnits(supply, divisibility),
    }),
    circulatingSupply: t.string({
      description: "Current supply without the nemesis account and other accounts that do not circulate.",
      resolve: async (currency, _args, context) => {
        const { supply, divisibility } = currency;
        return formatWholeUnits(supply - (await readUncirculating(currency, context)), divisibility);
      },
    }),
  }),
});

/** A step of the inflation. */
const InflationStepType = builder.objectRef<InflationStep>("InflationStep").implement({
  description: "An inflation step: from a height on, each block creates this amount of the currency.",
  fields: (t) => ({
    ...members(t, {
      startHeight: ["SafeInt", "Height of the first block of the step.", "height"],
      rewardAmount: ["UInt64", "Amount in atomic units.", "amount"],
    }),
    block: blockField(t, "First block of the step; null while there is none.", ({ height }) => height),
  }),
});

builder.queryFields((t) => ({
  currency: t.field({
    type: CurrencyType,
    description: "The network's currency.",
    resolve: async (_root, _args, context) => {
      const db = await stateDb(context);
      const properties = await resourcesOf(context).network();
      const mosaicId = properties.section("chain").bigint("currencyMosaicId");
      const found = await readSupply(db, mosaicId);
      if (!found)
        throw serviceUnavailable(
          `CATAPULT_RESOURCES belongs to another network: there is no mosaic ${idText(mosaicId)}`,
        );
      return { mosaicId, ...found, properties };
    },
  }),
  inflation: t.field({
    type: [InflationStepType],
    description: "Inflation steps by height.",
    resolve: async (_root, _args, context) => [...inflationSteps(await resourcesOf(context).inflation())],
  }),
  inflationAt: t.field({
    type: InflationStepType,
    nullable: true,
    description: "The inflation step in effect at a height; null below the first.",
    args: { height: t.arg({ description: "Height of a block.", type: "SafeInt", required: true }) },
    resolve: async (_root, { height }, context) =>
      inflationStepAt(inflationSteps(await resourcesOf(context).inflation()), height) ?? null,
  }),
}));

async function readUncirculating({ mosaicId, properties }: Currency, context: Context): Promise<bigint> {
  const db = await stateDb(context);
  const network = await readNetworkIdentity(db);
  if (!network) throw serviceUnavailable("nothing is indexed yet: try again");
  const nemesis = properties.section("network").hex("nemesisSignerPublicKey");
  const known = publicNetwork(network)?.uncirculatingPublicKeys ?? [];
  const keys = [nemesis, ...known, ...context.uncirculatingPublicKeys];
  const addresses = new Map(
    keys.map((key) => addressOfPublicKey(key, network.identifier)).map((one) => [one.toString("hex"), one]),
  );
  const balances = await Promise.all([...addresses.values()].map((address) => readBalance(db, address, mosaicId)));
  return balances.reduce((sum, balance) => sum + balance, 0n);
}
