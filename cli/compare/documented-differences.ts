import { type Behaviour, DIFFERENCES } from "../../gateway/compatibility/compatibility.js";

/** Differences from catapult-rest that exist in both modes. */
export const ALWAYS = {
  totals: "Pages have `totalEntries` and `totalPages` here; catapult-rest does not count entries",
  networkDescription: "`description` in `/network`: catapult-rest has its own text for each network",
  programForm: "`/node/server` and `/node/storage` describe the program and its database",
  multisigGraphOrder: "The order of the entries of one level in a multisig graph is not specified",
  aggregateMerklePath:
    "The Merkle path of an aggregate with cosignatures by its hash: 200 here; catapult-rest only accepts its Merkle component hash",
  finalizationProofGroups:
    "Nodes may have different votes for the same finalized block: the gateways have different nodes",
  referenceFailures:
    "500 `Internal` of catapult-rest for an unexpected request (an empty list of ids, a malformed one); here an empty list, 400 or 409",
} as const;
/** Id of a documented difference. */

export type DifferenceId = keyof Behaviour | keyof typeof ALWAYS;
/** A documented difference in one sentence. */

export function describeKnownDifference(id: DifferenceId): string {
  if (id in ALWAYS) return `${ALWAYS[id as keyof typeof ALWAYS]}.`;
  const { subject, spec, catapultRest } = DIFFERENCES.find((difference) => difference.id === id)!;
  return `${subject}: ${spec} (specification); ${catapultRest} (catapult-rest).`;
}
