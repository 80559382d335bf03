import { type Behaviour, DIFFERENCES } from "../../gateway/compatibility/compatibility.js";

/** Differences from catapult-rest that are there in both modes. */
export const ALWAYS = {
  totals: "Pages have `totalEntries` and `totalPages` here; catapult-rest does not count entries",
  networkDescription: "`description` in `/network`: catapult-rest has a text of its own for each network",
  programForm: "`/node/server` and `/node/storage` describe the program and its database",
  multisigGraphOrder: "The order of the entries of one level in a multisig graph, which is nowhere specified",
  aggregateMerklePath:
    "The merkle path of an aggregate with cosignatures by its hash: 200 here; catapult-rest knows it by its merkle component hash only",
  finalizationProofGroups:
    "Nodes may hold different votes for the same finalized block: the gateways have different nodes",
  referenceFailures:
    "500 `Internal` of catapult-rest for a request that it does not expect (an empty list of ids, a malformed one); here an empty list, 400 or 409",
} as const;
/** Id of a difference that is documented. */

export type DifferenceId = keyof Behaviour | keyof typeof ALWAYS;
/** A documented difference in one sentence. */

export function describeKnownDifference(id: DifferenceId): string {
  if (id in ALWAYS) return `${ALWAYS[id as keyof typeof ALWAYS]}.`;
  const { subject, spec, catapultRest } = DIFFERENCES.find((difference) => difference.id === id)!;
  return `${subject}: ${spec} (specification); ${catapultRest} (catapult-rest).`;
}
