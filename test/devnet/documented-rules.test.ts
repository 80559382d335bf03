import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { MAIN_NETWORK_RULES } from "../../devnet/network/main-network-rules.js";
import { DEFAULT_RULES } from "../../devnet/network/settings.js";

const page = readFileSync(new URL("../../../docs/devnet.md", import.meta.url), "utf8");
const grouped = (value: number | bigint) => value.toLocaleString("en-US");
const XYM = 1_000_000;

describe("docs/devnet.md has the numbers of the devnet:", () => {
  const { defaultDynamicFeeMultiplier: median } = DEFAULT_RULES;

  test.each([
    ["mosaic", DEFAULT_RULES.mosaicRentalFee],
    ["root namespace, for each block of its duration", DEFAULT_RULES.rootNamespaceRentalFeePerBlock],
    ["child namespace", DEFAULT_RULES.childNamespaceRentalFee],
  ])("the fee of a %s", (name, fee) => {
    expect(page).toContain(`| ${name} | ${grouped(fee)} atomic units | ${(Number(fee) * median) / XYM} |`);
  });

  test.each([
    ["root namespace", DEFAULT_RULES.minNamespaceDuration, DEFAULT_RULES.maxNamespaceDuration],
    ["mosaic", 1, DEFAULT_RULES.maxMosaicDuration],
    ["hash lock", 1, DEFAULT_RULES.maxHashLockDuration],
    ["secret lock", 1, DEFAULT_RULES.maxSecretLockDuration],
  ])("the durations of a %s", (name, shortest, longest) => {
    expect(page).toMatch(new RegExp(`^\\| ${name}[^|]* \\| ${shortest}[^|]* \\| ${grouped(longest)} \\|$`, "m"));
  });

  test("the blocks of the median, the minimum multiplier, the grace period, and the price of a lock", () => {
    expect(page).toContain(`the newest ${DEFAULT_RULES.maxDifficultyBlocks} blocks`);
    expect(page).toContain(`none below a multiplier of ${DEFAULT_RULES.minFeeMultiplier}`);
    expect(page).toContain(`(${DEFAULT_RULES.namespaceGracePeriodDuration} blocks of grace follow`);
    expect(page).toContain(`hash lock (${Number(DEFAULT_RULES.lockedFundsPerAggregate) / XYM} units of the currency)`);
  });

  test("the fork heights of the main network in miniature, in this order", () => {
    const rules = MAIN_NETWORK_RULES;
    const heights = [
      rules.totalVotingBalanceCalculationFix,
      rules.treasuryReissuance,
      rules.strictAggregateTransactionHash,
      ...[rules.skipSecretLockUniquenessChecks, rules.forceSecretLockExpirations, rules.skipSecretLockExpirations],
      rules.uniqueAggregateTransactionHash,
      rules.strictVrfPublicKeyCheck,
    ].map((height) => (typeof height === "number" ? String(height) : height.join(", ")));
    const rows = [...page.matchAll(/^\| ([\d, ]+) \| [^|]* \|$/gm)].map(([, height]) => height);
    expect(rows).toEqual(heights);
    const epochStart = (rules.treasuryReissuanceEpoch - 2) * rules.votingSetGrouping + 1;
    expect(page).toContain(
      `in epoch ${rules.treasuryReissuanceEpoch} (${epochStart} to ${epochStart + rules.votingSetGrouping - 1})`,
    );
    expect(page).toContain(`every ${rules.importanceGrouping}, ${rules.votingSetGrouping} blocks`);
    const { user, formerVoter } = rules.firstBalances;
    expect(page).toContain(`The users own ${grouped(user / BigInt(XYM))} units each, the harvester too`);
    expect(page).toContain(`\`voter1\` and \`voter2\` ${grouped(formerVoter / BigInt(XYM))} with a voting key`);
  });
});
