import { expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { documents } from "../../explorer/documents/documents.js";
import { Approvals } from "../../ledger/tables/approvals.js";
import { MultisigEntries } from "../../ledger/tables/multisig.js";
import { Journal } from "../../ledger/trees/journal.js";
import { SeededRandom } from "../support/seeded-random.js";

// Whose signature an aggregate lacks, as the page says it, beside the ledger's own rule.

interface Missing {
  readonly address: string;
  readonly needed: number;
  readonly cosigners: readonly string[];
}
const script = new URL("../../../explorer/browser/multisig/missing-signatures.js", import.meta.url);
const { missingSignatures } = (await import(script.href)) as {
  missingSignatures(
    embedded: readonly object[],
    signed: ReadonlySet<string>,
    multisigs: ReadonlyMap<string, object>,
  ): Missing[];
};

const NAMES = Array.from({ length: 12 }, (_, n) => n.toString(16).repeat(48).toUpperCase());
const bytes = (name: string) => Buffer.from(name, "hex");
const shown = (name: string) => encodeAddress(bytes(name));
const [TRANSFER, MODIFICATION, METADATA] = [16724, 16725, 16708];

test("is what the ledger says, for drawn accounts, signers and transactions", () => {
  const random = new SeededRandom();
  let incomplete = 0;
  for (let round = 0; round < 300; round++) {
    const entries = new MultisigEntries(new Journal());
    const multisigs = new Map<string, { cosignatoryAddresses: string[]; minApproval: number; minRemoval: number }>();
    // An account has cosignatories after it in the list only: there are no loops.
    NAMES.slice(0, 5).forEach((address, place) => {
      const cosignatoryAddresses = NAMES.slice(place + 1).filter(() => random.below(3) === 0);
      if (cosignatoryAddresses.length === 0) return;
      const [minApproval, minRemoval] = [1, 1].map((least) => least + random.below(cosignatoryAddresses.length));
      for (const one of cosignatoryAddresses) entries.addCosignatory(bytes(address), bytes(one));
      entries.changeSettings(bytes(address), minApproval!, minRemoval!);
      const cosignatories = cosignatoryAddresses.map(shown);
      multisigs.set(shown(address), {
        cosignatoryAddresses: cosignatories,
        minApproval: minApproval!,
        minRemoval: minRemoval!,
      });
    });
    const signed = new Set(NAMES.filter(() => random.below(2) === 0));
    const [signer, other] = [NAMES[random.below(6)]!, NAMES[random.below(12)]!];
    const [kind, type, transaction] = (
      [
        ["approval", TRANSFER, {}],
        ["approval", METADATA, { targetAddress: other }],
        ["approval", MODIFICATION, { addressAdditions: [other], addressDeletions: [] }],
        ["removal", MODIFICATION, { addressAdditions: [], addressDeletions: [other] }],
        ["both", MODIFICATION, { addressAdditions: [other], addressDeletions: [NAMES[11]] }],
      ] as const
    )[random.below(5)]!;
    const required = type === TRANSFER || kind === "removal" ? [signer] : [signer, other];
    const approvals = new Approvals([...signed].map(bytes), NAMES.length);
    const expected = [...new Set(required)]
      .filter((address) => !approvals.isGivenBy(bytes(address), kind, entries))
      .map((address) => ({
        address: shown(address),
        needed: approvals.lackedBy(bytes(address), kind, entries),
        cosigners: approvals.unsignedLeaves(bytes(address), entries).map(encodeAddress),
      }));
    const embedded = [{ type, signer: { address: shown(signer) }, body: { transaction } }];
    const sorted = (all: readonly Missing[]) => all.map((one) => ({ ...one, cosigners: [...one.cosigners].sort() }));
    const found = missingSignatures(embedded, new Set([...signed].map(shown)), multisigs);
    expect(sorted(found)).toEqual(sorted(expected));
    incomplete += expected.length > 0 ? 1 : 0;
  }
  expect(incomplete).toBeGreaterThan(50);
});

test("the page asks for all that the rule reads of a multisig account", () => {
  const { multisigGraph } = documents.ofIndex;
  for (const field of ["cosignatoryAddresses", "minApproval", "minRemoval"]) expect(multisigGraph).toContain(field);
});
