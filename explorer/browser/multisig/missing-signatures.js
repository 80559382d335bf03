import { encodeAddress } from "../addresses.js";

// Whose signature an aggregate lacks, by the rule of the network: an account approves if it has signed, or if as many
// of its cosignatories approve as it requires.

const MODIFICATION = 16_725;
const METADATA = [16_708, 16_964, 17_220];

/** The accounts that an embedded transaction needs: its signer, new cosignatories, and the target of metadata. */
export function requiredBy({ type, signer, body: { transaction } }) {
  const others = [
    ...(type === MODIFICATION ? transaction.addressAdditions : []),
    ...(METADATA.includes(type) ? [transaction.targetAddress] : []),
  ];
  return [...(signer ? [signer.address] : []), ...others.map(encodeAddress)];
}

/** How many cosignatories have to approve. */
function minimumOf({ minApproval, minRemoval }, { type, body: { transaction } }) {
  if (type !== MODIFICATION || transaction.addressDeletions.length === 0) return minApproval;
  return transaction.addressAdditions.length > 0 ? Math.max(minApproval, minRemoval) : minRemoval;
}

/**
 * The accounts whose approval is missing, with how many of which accounts have to sign for each.
 * @param embedded transactions of the aggregate
 * @param signed addresses that have signed it
 * @param multisigs entries of accounts with cosignatories, by address
 */
export function missingSignatures(embedded, signed, multisigs) {
  const missing = new Map();
  for (const one of embedded) {
    const results = new Map();
    const given = (entry) => entry.cosignatoryAddresses.filter(approves).length;
    function approves(address) {
      const known = results.get(address);
      if (known !== undefined) return known;
      const entry = multisigs.get(address);
      // A loop must not be walked for ever.
      results.set(address, false);
      const isGiven = entry ? given(entry) >= minimumOf(entry, one) : signed.has(address);
      results.set(address, isGiven);
      return isGiven;
    }
    for (const address of requiredBy(one)) {
      if (approves(address)) continue;
      const entry = multisigs.get(address);
      const needed = entry ? minimumOf(entry, one) - given(entry) : 1;
      if (needed <= (missing.get(address)?.needed ?? 0)) continue;
      const cosigners = [...leavesOf(address, multisigs)].filter((leaf) => !signed.has(leaf));
      missing.set(address, { address, needed, cosigners });
    }
  }
  return [...missing.values()];
}

/** The accounts without cosignatories below an address, or itself. */
function leavesOf(address, multisigs, visited = new Set()) {
  if (visited.has(address)) return [];
  visited.add(address);
  const entry = multisigs.get(address);
  return entry
    ? new Set(entry.cosignatoryAddresses.flatMap((one) => [...leavesOf(one, multisigs, visited)]))
    : [address];
}
