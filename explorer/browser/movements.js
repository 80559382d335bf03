import { accountOf } from "./values.js";

// What a transaction did to balances: `movements` of its document, each with its changes, the debit first.

/**
 * What a transaction did to one account, its fee aside.
 * @returns the sums of each mosaic with their signs, the accounts that gave or got these, and the direction of all of it
 */
export function sumsFor({ movements = [], signer, recipient }, address) {
  const sums = new Map();
  const counterparties = new Map();
  for (const { cause, changes } of movements) {
    const own = changes.filter((change) => change.address === address);
    if (cause === "fee" || own.length === 0) continue;
    for (const { mosaicId, mosaic, change } of own)
      sums.set(mosaicId, { mosaic, sum: (sums.get(mosaicId)?.sum || 0n) + BigInt(change) });
    for (const one of changes)
      if (one.address !== address) counterparties.set(one.address, accountOf(one.account, one.address));
  }
  const amounts = [...sums]
    .filter(([, { sum }]) => sum !== 0n)
    .map(([id, { mosaic, sum }]) => ({ id, mosaic, amount: String(sum).replace("-", ""), sign: sum < 0n ? "−" : "+" }));
  const others = [signer, recipient].filter((one) => one && one.address !== address);
  return {
    amounts,
    counterparties: counterparties.size > 0 ? [...counterparties.values()] : others.slice(0, 1),
    direction: directionOf(amounts, signer?.address === address, recipient?.address === address),
  };
}

function directionOf(amounts, isSigner, isRecipient) {
  const signs = new Set(amounts.map(({ sign }) => sign));
  if (isSigner && isRecipient) return "self";
  if (signs.size === 2) return "both";
  if (signs.has("+") || (signs.size === 0 && isRecipient)) return "in";
  return signs.has("−") || isSigner ? "out" : "other";
}
