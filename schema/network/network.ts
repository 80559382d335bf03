import { hex } from "../../catapult/entity/hex.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { renderNetworkProperties } from "../../catapult/json/network-properties.js";
import { networkName } from "../../catapult/network/properties.js";
import { publicNetwork } from "../../catapult/network/public-networks.js";
import { builder } from "../graph/builder.js";
import { costs } from "../graph/cost.js";
import { networkOf } from "../services/network-identity.js";
import { resourcesOf } from "./resources.js";

const SHOWN_SEED_DIGITS = 8;

const Network = builder.objectRef<NetworkIdentity>("Network").implement({
  description: "The network that is indexed.",
  fields: (t) => ({
    identifier: t.exposeInt("identifier", { description: "104 main, 152 test." }),
    generationHashSeed: t.expose("generationHashSeed", {
      description: "By which it is told from others.",
      type: "Hash256",
    }),
    name: t.string({
      description: "Such as mainnet or testnet: what its identifier stands for.",
      resolve: ({ identifier }) => networkName(identifier),
    }),
    description: t.string({ description: "One line for people.", resolve: describeNetwork }),
  }),
});

/** A network of one's own shares its identifier with a public one, so only the seed tells them apart. */
function describeNetwork(network: NetworkIdentity): string {
  const { identifier, generationHashSeed } = network;
  const seed = hex(generationHashSeed).slice(0, SHOWN_SEED_DIGITS);
  return (
    publicNetwork(network)?.description ??
    `Symbol network of type ${networkName(identifier)} with generation hash seed ${seed}…`
  );
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
  description: "A line of the configuration.",
  fields: (t) => ({
    name: t.exposeString("name", { description: "As REST names it." }),
    value: t.exposeString("value", { description: "As it is written there: such as 4'000, true, 50MB." }),
  }),
});

const SectionType = builder.objectRef<ConfigurationSection>("ConfigurationSection").implement({
  description: "A part of the network's configuration.",
  fields: (t) => ({
    name: t.exposeString("name", { description: "Such as network, chain, plugin:catapult.plugins.mosaic." }),
    properties: t.field({
      type: [PropertyType],
      extensions: costs({ entries: 20 }),
      description: "In the order of the file.",
      resolve: ({ properties }) => [...properties],
    }),
  }),
});

builder.queryFields((t) => ({
  networkConfiguration: t.field({
    type: [SectionType],
    extensions: costs({ entries: 20 }),
    description: "What config-network.properties of the network's nodes says.",
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
    description: "The network that is indexed; while nothing is, that of the node.",
    resolve: (_root, _args, context) => networkOf(context),
  }),
  networkProperties: t.string({
    description: "REST body as JSON text of what config-network.properties of the network's nodes says.",
    resolve: async (_root, _args, context) => renderNetworkProperties(await resourcesOf(context).network()),
  }),
}));
