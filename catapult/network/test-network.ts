import type { PublicNetworkFacts } from "./public-configuration.js";

/**
 * The public test network (since 2022, also called *sai*).
 * Sources: `config-network.properties` of the repository `symbol/networks`, branch `sai`, and the presets of the npm package
 * `symbol-bootstrap` 1.1.10, which agree; the last two fork heights as of November 2026 (catapult 1.0.3.9 and 1.0.3.10).
 */
export const TEST_NETWORK_FACTS: PublicNetworkFacts = {
  identifier: "testnet",
  nemesisSignerPublicKey: "76E94661562762111FF7E592B00398554973396D8A4B922F3E3D139892F7C35C",
  generationHashSeed: "49D6E1CE276A85B70EAFE52349AACCA389302E7A9754BCF1221E79494FC665A4",
  epochAdjustment: "1667250467s",
  currencyMosaicId: "0x72C0'212E'67A0'8BCE",
  harvestingMosaicId: "0x72C0'212E'67A0'8BCE",
  importanceGrouping: "180",
  votingSetGrouping: "720",
  minVotingKeyLifetime: "28",
  maxVotingKeyLifetime: "720",
  harvestNetworkFeeSinkAddressV1: "TBC3AX4TMSYWTCWR6LDHPKWQQL7KPCOMHECN2II",
  harvestNetworkFeeSinkAddress: "TBC3AX4TMSYWTCWR6LDHPKWQQL7KPCOMHECN2II",
  mosaicRentalFeeSinkAddressV1: "TA53AVLYMT5HCP5TJ23CGKGTUXQHNPBTJ4Z2LIQ",
  mosaicRentalFeeSinkAddress: "TA53AVLYMT5HCP5TJ23CGKGTUXQHNPBTJ4Z2LIQ",
  namespaceGracePeriodDuration: "1d",
  namespaceRentalFeeSinkAddressV1: "TDVFW6NZN3YI6O4ZRYZHGY73KADCW4HX6IDIKZI",
  namespaceRentalFeeSinkAddress: "TDVFW6NZN3YI6O4ZRYZHGY73KADCW4HX6IDIKZI",
  forkHeights: {
    totalVotingBalanceCalculationFix: "0",
    treasuryReissuance: "0",
    strictAggregateTransactionHash: "0",
    skipSecretLockUniquenessChecks: "",
    skipSecretLockExpirations: "",
    forceSecretLockExpirations: "",
    uniqueAggregateTransactionHash: "2'742'000",
    strictVrfPublicKeyCheck: "3'888'648",
  },
};
