import { sha3 } from "../../catapult/entity/hashes.js";
import { MAIN_NETWORK_RULES } from "../../devnet/network/main-network-rules.js";
import { DevnetFixture, signedAggregate, signedPayload } from "./devnet.js";
import { TransactionMaker } from "./transaction-maker.js";

const XYM = 1_000_000n;
/** Where secret locks end: at every fork height that is about them, and beside them. */
const LOCKS_END = [95, 96, 97, 99, 100, 103, 104, 105, 106, 107];
const PAYERS = ["alice", "bob", "carol", "dave"];

/**
 * A devnet with the rules of the main network in miniature, with blocks up to a height above all fork heights: fees of
 * several accounts in each group of blocks, locks that end at the fork heights, aggregates of each version. The former
 * voters own more than the harvester from block 60 on.
 */
export async function startMainRulesDevnet(height: number): Promise<DevnetFixture> {
  const fixture = await DevnetFixture.start({ rules: MAIN_NETWORK_RULES });
  const { devnet } = fixture;
  const rejected: string[] = [];
  const announce = (payload: Buffer) => {
    const { isUnconfirmed, rejection } = devnet.announce(payload);
    if (!isUnconfirmed) rejected.push(`${devnet.height + 1}: ${rejection}`);
  };
  for (let next = 2; next <= height; next += 1) {
    for (const name of PAYERS.slice(next % PAYERS.length)) {
      const recipientAddress = fixture.account("erin").address;
      announce(signedPayload(devnet, fixture.account(name), { recipientAddress, amount: BigInt(next) }));
    }
    announce(aggregateAt(fixture, next));
    if (next === 60) {
      for (const voter of ["voter1", "voter2"]) {
        const recipientAddress = fixture.account(voter).address;
        announce(signedPayload(devnet, fixture.account("reserve"), { recipientAddress, amount: 20_000_000n * XYM }));
      }
    }
    if (next === 70) for (const [index, end] of LOCKS_END.entries()) announce(secretLock(fixture, end - next, index));
    // at this height, a lock may have the id of an open one
    if (next === 88)
      for (const [index, end] of LOCKS_END.entries()) announce(secretLock(fixture, end + 30 - next, index));
    await devnet.harvest();
  }
  if (rejected.length > 0) throw new Error(`transactions were rejected: ${rejected.join("; ")}`);
  return fixture;
}

function aggregateAt(fixture: DevnetFixture, height: number): Buffer {
  const { strictAggregateTransactionHash: two, uniqueAggregateTransactionHash: three } = MAIN_NETWORK_RULES;
  const [from, to] = ["frank", "grace"].map((name) => fixture.account(name));
  return signedAggregate(fixture.devnet, from!, {
    version: height >= three ? 3 : height >= two ? 2 : 1,
    embedded: [{ signer: from!, fields: { recipientAddress: to!.address, amount: BigInt(height) } }],
  });
}

/**
 * A lock of the currency; those with one number have the same id.
 * @param duration in blocks
 */
function secretLock(fixture: DevnetFixture, duration: number, number: number): Buffer {
  const { devnet } = fixture;
  const [owner, recipient] = ["frank", "grace"].map((name) => fixture.account(name));
  return new TransactionMaker(devnet).transaction(owner!, {
    type: "secret_lock_transaction_v1",
    mosaic: { mosaicId: devnet.currencyMosaicId, amount: XYM },
    duration: BigInt(duration),
    secret: new Uint8Array(sha3(Buffer.of(number))),
    hashAlgorithm: "sha3_256",
    recipientAddress: new Uint8Array(recipient!.address),
  });
}
