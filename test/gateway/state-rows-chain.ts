import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { generateMosaicId } from "../../catapult/entity/generated-id.js";
import { sha3 } from "../../catapult/entity/hashes.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { SeededRandom } from "../support/seeded-random.js";
import { accountMetadata, mosaicDescriptors, mosaicMetadata } from "../support/state-scenario.js";
import { type Descriptor, type Party, TransactionMaker } from "../support/transaction-maker.js";
import { vacuum } from "../support/vacuum.js";

/** Accounts that were paid, every tenth with a unit of the rare mosaic too. */
export const HOLDERS = 4_000;
/** Entries of metadata of alice's mosaics, and of each of three other accounts about itself. */
const KEYS = 260;
const OF_OTHERS = 150;
const MOSAICS = 12;
const IN_AN_AGGREGATE = 100;
const AGGREGATES_IN_A_BLOCK = 10;
/** One of this many entries of metadata is deleted again. */
const DELETED_OF = 7;

/** The address (24 bytes) of an account that was paid, from 0. */
export function holder(n: number): Buffer {
  return addressOfPublicKey(sha3(Buffer.from(`holder ${n}`)), 152);
}

/** An index of a devnet with thousands of accounts, balances of two mosaics, and entries of metadata. */
export interface ManyStates {
  readonly index: IndexedDatabase;
  readonly currency: bigint;
  /** A mosaic that a tenth of the accounts has. */
  readonly rare: bigint;
}

/** Writes the chain, and lets an indexer follow it. */
export async function createManyStates(): Promise<ManyStates> {
  const fixture = await DevnetFixture.start({ seed: "many states" });
  const index = await IndexedDatabase.create();
  try {
    const { devnet } = fixture;
    const [alice, ...others] = ["alice", "bob", "carol", "dave"].map((name) => fixture.account(name)) as [
      DevnetAccount,
      ...DevnetAccount[],
    ];
    const make = new TransactionMaker(devnet);
    const mine = async (signer: Party, descriptors: readonly Descriptor[]) => {
      for (let start = 0; start < descriptors.length; start += IN_AN_AGGREGATE) {
        const part = descriptors.slice(start, start + IN_AN_AGGREGATE);
        const embedded = part.map((descriptor) => make.embedded(signer, descriptor));
        const { rejection } = devnet.announce(make.aggregate({ signer, embedded }));
        if (rejection) throw new Error(rejection);
        if ((start / IN_AN_AGGREGATE) % AGGREGATES_IN_A_BLOCK === AGGREGATES_IN_A_BLOCK - 1) await devnet.harvest(1);
      }
      await devnet.harvest(1);
    };
    const currency = devnet.currencyMosaicId;
    const ids = Array.from({ length: MOSAICS }, (_, nonce) => generateMosaicId(alice.address, nonce));
    const rare = ids[0]!;
    await mine(alice, ids.flatMap(mosaicDescriptors));
    const entries = ids.flatMap((id, nth) =>
      Array.from({ length: KEYS }, (_, key) => mosaicMetadata(alice, id, BigInt(key + nth), "x")),
    );
    const middle = entries.length / 2;
    await mine(alice, entries.slice(0, middle));
    await mine(alice, payments(currency, rare));
    await mine(alice, entries.slice(middle));
    for (const other of others) {
      const own = Array.from({ length: OF_OTHERS }, (_, key) => accountMetadata(other, BigInt(key), Buffer.of(1)));
      await mine(other, own);
    }
    const deleted = entries.filter((_, n) => n % DELETED_OF === 3);
    await mine(
      alice,
      deleted.map((entry) => ({ ...entry, valueSizeDelta: -1 })),
    );
    await index.follow(devnet);
    await index.waitForHash(devnet.block(devnet.height).hash);
    await index.stop();
    await vacuum(index.db);
    return { index, currency, rare };
  } catch (error) {
    await index.drop();
    throw error;
  } finally {
    await fixture.stop();
  }
}

/** Payments to all holders, many of the same amount. */
function payments(currency: bigint, rare: bigint): Descriptor[] {
  const random = new SeededRandom(1);
  return Array.from({ length: HOLDERS }, (_, n) => {
    const amount = random.below(5) === 0 ? 1_000_000n : BigInt(1 + random.below(100_000) * (1 + (n % 100)));
    const mosaics = [{ mosaicId: currency, amount }, ...(n % 10 === 0 ? [{ mosaicId: rare, amount: 1n }] : [])];
    const sorted = mosaics.toSorted((one, other) => (one.mosaicId < other.mosaicId ? -1 : 1));
    return { type: "transfer_transaction_v1", recipientAddress: new Uint8Array(holder(n)), mosaics: sorted };
  });
}
