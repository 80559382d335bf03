import { expect } from "@jest/globals";
import { type CheckOptions, type CheckResult, checkDatabase } from "../../indexer/check/check.js";
import { describeDifference } from "../../indexer/check/findings.js";
import { clientCredentials, silentLog } from "./connection-fixtures.js";
import { knownExecution } from "./known-networks.js";

/** What `check` finds in an index of a network that the tests know, without a node by default. */
export async function checkIndex(
  options: Partial<CheckOptions> & Pick<CheckOptions, "databaseUrl">,
): Promise<CheckResult & { readonly found: readonly string[] }> {
  const found: string[] = [];
  const result = await checkDatabase({
    ...{ credentials: clientCredentials, log: silentLog, execution: knownExecution },
    report: (difference) => found.push(describeDifference(difference)),
    ...options,
  });
  expect(result.differences).toBe(found.length);
  return { ...result, found };
}
