import { createHash } from "node:crypto";
import { generateMosaicId, generateNamespaceId } from "../../catapult/entity/generated-id.js";
import type { Devnet, DevnetAccount } from "../../devnet/devnet.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import type { RestStackOptions } from "../support/rest-stack.js";
import { SeededRandom } from "../support/seeded-random.js";
import { type Descriptor, TransactionMaker } from "../support/transaction-maker.js";
import { transferOf } from "../support/transfers.js";

// A chain as people use one: ten digits before the point, long names, messages of 200 characters, five mosaics in a
// transfer, a multisig account, and each kind of transaction that pages put into words.

const DAY_MS = 86_400_000;
const [DAYS, BLOCKS_PER_DAY] = [5, 12];
/** Longer than the time between two blocks. */
const DEADLINE_SECONDS = 18_000;
/** Like a name that someone pays for, and the longest that there may be. */
const NAMES = ["alice-and-partners", "n".repeat(64)] as const;
const CHILD = "treasury";
const MESSAGES = [
  "Invoice 2026-0815",
  "Thanks for dinner!",
  "ありがとうございます",
  `${"A message of two hundred characters, which is what people write when they explain to a friend why the last one was late, ".repeat(2).slice(0, 199)}.`,
];
/** Divisibility and supply of the mosaics of alice, in atomic units. */
const MOSAICS = [
  [0, 1_000_000n],
  [2, 123_456_789_012n],
  [6, 8_999_999_999_000_000n],
  [3, 5_000n],
  [1, 1_234_567_890n],
] as const;
/** Atomic units: ten digits before the point. */
const LARGE = 1_234_567_890_123_456n;

/** What pages of the chain are about: addresses are 24 bytes, hashes 32. */
export interface Realistic {
  readonly vault: DevnetAccount;
  readonly mosaicId: bigint;
  readonly restricted: bigint;
  /** Hashes by what the transactions do. */
  readonly hashes: ReadonlyMap<string, Buffer>;
}

/** A stack with the chain, whose last block is of about the present time. */
export function realisticStack(onWritten: (chain: Realistic) => void = () => undefined): RestStackOptions {
  let now = Date.now();
  const setTime = (ms: number) => {
    now = ms;
  };
  return {
    devnet: { clock: () => now },
    populate: async ({ devnet }) => onWritten(await writeRealisticChain(devnet, setTime)),
  };
}

/** @param setTime sets the devnet's time, Unix ms */
async function writeRealisticChain(devnet: Devnet, setTime: (ms: number) => void): Promise<Realistic> {
  const random = new SeededRandom();
  const blocks = DAYS * BLOCKS_PER_DAY;
  const begin = Date.now() - DAYS * DAY_MS;
  let now = begin;
  const maker = new TransactionMaker(devnet, () => now);
  const accounts = devnet.accounts.slice(0, 6) as [
    ...[DevnetAccount, DevnetAccount, DevnetAccount, DevnetAccount, DevnetAccount, DevnetAccount],
  ];
  const [alice, bob, carol, dave, erin, vault] = accounts;
  const hashes = new Map<string, Buffer>();
  const announce = (name: string, payload: Buffer) => {
    hashes.set(name, maker.hashOf(payload));
    if (!devnet.announce(payload).isUnconfirmed) throw new Error(`the devnet rejects: ${name}`);
  };
  const send = (name: string, signer: DevnetAccount, descriptor: Descriptor) =>
    announce(name, maker.transaction(signer, descriptor, { deadlineSeconds: DEADLINE_SECONDS }));
  const together = (name: string, parts: readonly [DevnetAccount, Descriptor][], cosigners: DevnetAccount[] = []) =>
    announce(
      name,
      maker.aggregate(
        {
          signer: cosigners[0] ?? parts[0]![0],
          embedded: parts.map(([signer, descriptor]) => maker.embedded(signer, descriptor)),
          cosigners: cosigners.slice(1),
        },
        { deadlineSeconds: DEADLINE_SECONDS },
      ),
    );
  const harvest = async (count = 1) => {
    for (let made = 0; made < count; made++) {
      now = begin + (DAY_MS / BLOCKS_PER_DAY) * (devnet.height - 1 + random.below(800) / 1_000);
      setTime(now);
      await devnet.harvest(1);
    }
  };
  const bytes = (buffer: Buffer) => new Uint8Array(buffer);

  setTime(now);
  const ids = MOSAICS.map((_, nonce) => generateMosaicId(alice.address, nonce + 1));
  const restricted = generateMosaicId(alice.address, 9);
  const rootId = generateNamespaceId(NAMES[0]);
  for (const name of NAMES) {
    const registration = { registrationType: "root", duration: 1_000_000n, name, id: generateNamespaceId(name) };
    send(`root ${name}`, alice, { type: "namespace_registration_transaction_v1", ...registration });
  }
  for (const [index, [divisibility]] of MOSAICS.entries()) {
    const flags = "transferable supply_mutable revokable";
    const definition = { nonce: index + 1, id: ids[index], divisibility, flags, duration: 0n };
    send(`mosaic ${index}`, alice, { type: "mosaic_definition_transaction_v1", ...definition });
  }
  const definition = { nonce: 9, id: restricted, divisibility: 2, flags: "transferable supply_mutable restrictable" };
  send("restrictable mosaic", alice, { type: "mosaic_definition_transaction_v1", ...definition, duration: 0n });
  await harvest();
  for (const [index, [, delta]] of MOSAICS.entries())
    send(`supply ${index}`, alice, {
      type: "mosaic_supply_change_transaction_v1",
      mosaicId: ids[index],
      delta,
      action: "increase",
    });
  const child = { registrationType: "child", parentId: rootId, name: CHILD, id: generateNamespaceId(CHILD, rootId) };
  send("child", alice, { type: "namespace_registration_transaction_v1", ...child });
  await harvest();
  const aliasOf = (namespaceId: bigint) => ({ namespaceId, aliasAction: "link" });
  send("alias of bob", alice, {
    type: "address_alias_transaction_v1",
    ...aliasOf(rootId),
    address: bytes(bob.address),
  });
  const longest = generateNamespaceId(NAMES[1]);
  send("alias of carol", alice, {
    type: "address_alias_transaction_v1",
    ...aliasOf(longest),
    address: bytes(carol.address),
  });
  send("alias of a mosaic", alice, { type: "mosaic_alias_transaction_v1", ...aliasOf(child.id), mosaicId: ids[1] });
  const rule = {
    mosaicId: restricted,
    referenceMosaicId: 0n,
    restrictionKey: 0x4b_59_43n,
    previousRestrictionValue: 0n,
  };
  const global = { previousRestrictionType: "none", newRestrictionValue: 1n, newRestrictionType: "ge" };
  send("global restriction", alice, { type: "mosaic_global_restriction_transaction_v1", ...rule, ...global });
  const entry = { targetAddress: bytes(alice.address), scopedMetadataKey: 0xd1e2_c3b4_0000_0001n };
  const value = "Heidi";
  const metadata = { type: "account_metadata_transaction_v1", ...entry, valueSizeDelta: value.length, value };
  together("metadata", [[alice, metadata]]);
  const modification = { minApprovalDelta: 2, minRemovalDelta: 1, addressDeletions: [] };
  const additions = [alice, bob, carol].map(({ address }) => bytes(address));
  const multisig = {
    type: "multisig_account_modification_transaction_v1",
    ...modification,
    addressAdditions: additions,
  };
  together("multisig", [[vault, multisig]], [vault, alice, bob, carol]);
  await harvest();
  const free = {
    previousRestrictionValue: 0xffff_ffff_ffff_ffffn,
    newRestrictionValue: 1n,
    targetAddress: bytes(dave.address),
  };
  const address = {
    type: "mosaic_address_restriction_transaction_v1",
    mosaicId: restricted,
    restrictionKey: 0x4b_59_43n,
  };
  send("address restriction", alice, { ...address, ...free });
  send("account restriction", erin, {
    type: "account_address_restriction_transaction_v1",
    restrictionFlags: "address block",
    restrictionAdditions: [bytes(dave.address)],
    restrictionDeletions: [],
  });
  send("operation restriction", erin, {
    type: "account_operation_restriction_transaction_v1",
    restrictionFlags: "transaction_type outgoing block",
    restrictionAdditions: ["mosaic_definition"],
    restrictionDeletions: [],
  });
  send("secret lock", bob, {
    type: "secret_lock_transaction_v1",
    recipientAddress: bytes(dave.address),
    secret: new Uint8Array(createHash("sha3-256").update("secret").digest()),
    mosaic: { mosaicId: devnet.currencyMosaicId, amount: 12_500_000n },
    duration: 1_000n,
    hashAlgorithm: "sha3_256",
  });
  const five = [...ids, devnet.currencyMosaicId].map((mosaicId) => ({ mosaicId, amount: 4_321n })).slice(1);
  const sorted = five.toSorted((a, b) => (a.mosaicId < b.mosaicId ? -1 : 1));
  send("five mosaics", alice, { ...transferOf(devnet, bob.address, 1n, MESSAGES[0]), mosaics: sorted });
  await harvest();
  const pay = (to: DevnetAccount, amount: bigint, text?: string) => transferOf(devnet, to.address, amount, text);
  for (let made = devnet.height; made < blocks; made++) {
    const count = random.below(10) < 6 ? 0 : random.below(4) + Math.round((3 * made) / blocks);
    for (let n = 0; n < count; n++) {
      const from = accounts[random.below(5)]!;
      const to = accounts[random.below(5)]!;
      const amount =
        (BigInt(1 + random.below(1_000_000_000)) * (random.below(3) === 0 ? 1n : 1_000n)) /
        (random.below(4) === 0 ? 1n : 500n);
      const text = random.below(3) === 0 ? MESSAGES[random.below(MESSAGES.length)] : undefined;
      const feeMultiplier = 100 + 25 * random.below(8);
      devnet.announce(
        maker.transaction(from, pay(to, amount, text), { feeMultiplier, deadlineSeconds: DEADLINE_SECONDS }),
      );
    }
    if (made % 40 === 20)
      together(
        `swap ${made}`,
        [
          [alice, pay(bob, 12_340_000n)],
          [bob, { ...pay(alice, 1n), mosaics: [{ mosaicId: ids[1]!, amount: 12n }] }],
        ],
        [alice, bob],
      );
    await harvest();
  }
  now = Date.now() - 45_000;
  setTime(now);
  send("large", devnet.accounts.at(-1)!, pay(bob, LARGE, MESSAGES[3]));
  together("payroll", [
    [alice, pay(bob, 250_000_000n, "Salary")],
    [alice, pay(carol, 250_000_000n, "Salary")],
    [alice, pay(dave, 1_250_000n)],
  ]);
  together("vault pays", [[vault, pay(dave, 99_000_000n)]], [alice, bob]);
  send("long message", alice, pay(carol, 1_500_000n, MESSAGES[3]));
  send("by a name", dave, {
    ...pay(bob, 7_000_000n),
    mosaics: [{ mosaicId: namespaceIdOf("symbol.xym"), amount: 7_000_000n }],
  });
  await devnet.harvest(1);
  for (let n = 0; n < 3; n++) {
    now += 12_000;
    setTime(now);
    await devnet.harvest(1);
  }
  devnet.finalize(devnet.height - 12);
  return { vault, mosaicId: ids[1]!, restricted, hashes };
}
