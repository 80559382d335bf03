import { renderNetworkProperties } from "../catapult/json/network-properties.js";
import type { NetworkIdentity } from "../catapult/model.js";
import { networkName } from "../catapult/properties.js";
import { publicNetwork } from "../catapult/public-networks.js";
import { builder } from "./builder.js";
import { readNetworkIdentity } from "./db/network.js";
import { requireResources } from "./resources.js";

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
function describeNetwork({ identifier, generationHashSeed }: NetworkIdentity): string {
  const seed = generationHashSeed.toString("hex").toUpperCase().slice(0, SHOWN_SEED_DIGITS);
  return (
    publicNetwork(generationHashSeed)?.description ??
    `Symbol network of type ${networkName(identifier)} with generation hash seed ${seed}…`
  );
}

builder.queryFields((t) => ({
  network: t.field({
    type: Network,
    description: "The network that is indexed; while nothing is, that of the node.",
    resolve: async (_root, _args, { db, node }) => {
      const identity = await readNetworkIdentity(db);
      if (identity) return identity;
      const { networkIdentifier, networkGenerationHashSeed } = await node.nodeInfo();
      return { identifier: networkIdentifier, generationHashSeed: networkGenerationHashSeed };
    },
  }),
  networkProperties: t.string({
    description: "REST body as JSON text of what the node's config-network.properties says.",
    resolve: async (_root, _args, context) => renderNetworkProperties(await requireResources(context).network()),
  }),
}));
