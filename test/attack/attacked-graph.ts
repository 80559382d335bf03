import { randomBytes } from "node:crypto";
import type pg from "pg";
import { derivePublicKey, signData } from "../../catapult/crypto/signature.js";
import { hex } from "../../catapult/entity/hex.js";
import type { Devnet, DevnetAccount } from "../../devnet/devnet.js";
import { MultisigEntries } from "../../ledger/tables/multisig.js";
import { Journal } from "../../ledger/trees/journal.js";
import { newParty } from "../support/costly-aggregate.js";
import { signedAggregate } from "../support/devnet.js";
import { SeededRandom } from "../support/seeded-random.js";
import type { Party } from "../support/transaction-maker.js";

/** Accounts of a level: each is cosigned by the whole next level, as networks allow it. */
const WIDTH = 24;
const LEVELS = 3;
const EMBEDDED = 100;
const COSIGNATURES = 500;

type Levels = readonly (readonly Party[])[];

/**
 * Adds a graph of 73 multisig accounts to an index, in which 13,824 paths lead from the account at the top to those at the
 * bottom. @returns an aggregate of 100 transfers of the account at the top, in hex
 */
export async function addMultisigGraph(client: pg.Client, devnet: Devnet): Promise<string> {
  const [signer] = devnet.accounts as [DevnetAccount];
  const random = new SeededRandom();
  const newAccount = () => newParty(devnet.network, random);
  const levels: Party[][] = [[newAccount()]];
  while (levels.length <= LEVELS) levels.push(Array.from({ length: WIDTH }, newAccount));
  levels.at(-1)![0] = signer;
  for (const [index, entry] of entriesOf(levels).entries()) {
    const { accountAddress, minApproval, minRemoval, cosignatoryAddresses, multisigAddresses, value } = entry;
    await client.query(
      `insert into multisigs (id, address, min_approval, min_removal, cosignatory_addresses, multisig_addresses, value)
       values (decode(lpad($1, 24, 'e'), 'hex'), $2, $3, $4, $5, $6, $7)`,
      [index.toString(16), accountAddress, minApproval, minRemoval, cosignatoryAddresses, multisigAddresses, value],
    );
  }
  const [top] = levels[0]!;
  const embedded = Array.from({ length: EMBEDDED }, () => ({
    signer: top!,
    fields: { recipientAddress: signer.address, amount: 1n },
  }));
  return hex(signedAggregate(devnet, signer, { embedded }));
}

function entriesOf(levels: Levels) {
  const multisigs = new MultisigEntries(new Journal());
  for (const [level, accounts] of levels.slice(0, -1).entries()) {
    for (const { address } of accounts) {
      for (const cosignatory of levels[level + 1]!) multisigs.addCosignatory(address, cosignatory.address);
      multisigs.changeSettings(address, WIDTH, WIDTH);
    }
  }
  return levels.flat().map(({ address }) => {
    const entry = multisigs.get(address)!;
    return { ...entry, value: multisigs.table.serialize(entry) };
  });
}

/** Bodies of cosignatures of unknown aggregates, each by another key. */
export function strayCosignatures(): string[] {
  return Array.from({ length: COSIGNATURES }, () => {
    const [privateKey, parentHash] = [randomBytes(32), randomBytes(32)];
    return JSON.stringify({
      version: "0",
      parentHash: hex(parentHash),
      signerPublicKey: hex(derivePublicKey(privateKey)),
      signature: hex(signData(privateKey, parentHash)),
    });
  });
}
