import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { renderNetworkProperties } from "../../catapult/json/network-properties.js";
import { networkName } from "../../catapult/network/properties.js";
import { networkType, publicNetwork, shownSeed, uniqueNetworkName } from "../../catapult/network/public-networks.js";
import { networkOf } from "../dry-runs/network-rules.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { members } from "../graph/members.js";
import { JsonText } from "../graph/scalars.js";
import { resourcesOf } from "./resources.js";

const Network = builder.objectRef<NetworkIdentity>("Network").implement({
  description: "The indexed network.",
  fields: (t) => ({
    ...members(t, {
      identifier: ["Int", "104 main, 152 test."],
      generationHashSeed: ["Hash256", "Generation hash seed, which identifies the network."],
    }),
    name: t.string({
      description: "Name of the network identifier, such as mainnet or testnet.",
      resolve: ({ identifier }) => networkName(identifier),
    }),
    description: t.string({
      description: "Description in one line.",
      resolve: (network, _args, context) => describeNetwork(network, context),
    }),
    uniqueName: t.string({
      description:
        "Name that no other network has: mainnet or testnet for the public networks, otherwise the name, or devnet, " +
        "followed by the start of the generation hash seed.",
      resolve: (network, _args, { resources }) => uniqueNetworkName(network, resources),
    }),
    totalImportance: t.field({
      type: "UInt64",
      description: "What the importances of all accounts add up to.",
      resolve: async (_network, _args, context) =>
        (await resourcesOf(context).network()).section("chain").bigint("totalChainImportance"),
    }),
    epochAdjustment: t.field({
      type: "SafeInt",
      description: "Unix milliseconds of the network's timestamp 0.",
      resolve: async (_network, _args, context) =>
        (await resourcesOf(context).network()).section("network").milliseconds("epochAdjustment"),
    }),
  }),
});

/** A private network may share its identifier with a public one, so only the seed distinguishes them. */
async function describeNetwork(network: NetworkIdentity, { resources }: Context): Promise<string> {
  const known = publicNetwork(network);
  if (known) return known.description;
  return `Symbol network of type ${await networkType(network, resources)} with generation hash seed ${shownSeed(network)}…`;
}

interface Property {
  readonly name: string;
  readonly value: string;
}

interface ConfigurationSection {
  readonly name: string;
  readonly properties: readonly Property[];
}

const PropertyType = builder.objectRef<Property>("ConfigurationProperty").implement({
  description: "A property of the configuration.",
  fields: (t) =>
    members(t, {
      name: ["String", "Name as in REST."],
      value: ["String", "Value as in the file, such as 4'000, true, 50MB."],
    }),
});

const SectionType = builder.objectRef<ConfigurationSection>("ConfigurationSection").implement({
  description: "A section of the network's configuration.",
  fields: (t) => ({
    name: t.exposeString("name", {
      description: "Name of the section, such as network, chain, plugin:catapult.plugins.mosaic.",
    }),
    properties: t.field({
      type: [PropertyType],
      description: "Properties in the order of the file.",
      resolve: ({ properties }) => [...properties],
    }),
  }),
});

builder.queryFields((t) => ({
  networkConfiguration: t.field({
    type: [SectionType],
    description: "Content of the config-network.properties of the network's nodes.",
    resolve: async (_root, _args, context) => {
      const file = await resourcesOf(context).network();
      return file.titles().map((name) => {
        const section = file.section(name);
        return { name, properties: section.names().map((one) => ({ name: one, value: section.text(one) })) };
      });
    },
  }),
  network: t.field({
    type: Network,
    description: "The indexed network; while nothing is indexed, that of the node.",
    resolve: (_root, _args, context) => networkOf(context),
  }),
  networkProperties: t.field({
    type: "JSON",
    description: "Content of the config-network.properties of the network's nodes: the REST body.",
    resolve: async (_root, _args, context) =>
      new JsonText(renderNetworkProperties(await resourcesOf(context).network())),
  }),
}));
