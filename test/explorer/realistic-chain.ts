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
  const terms = { deadlineSeconds: DEADLINE_SECONDS };
  const of = (kind: string, fields: object): Descriptor => ({ type: `${kind}_transaction_v1`, ...fields });
  const send = (name: string, signer: DevnetAccount, descriptor: Descriptor) =>
    announce(name, maker.transaction(signer, descriptor, terms));
  const together = (name: string, parts: readonly [DevnetAccount, Descriptor][], signers = [parts[0]![0]]) => {
    const [signer, ...cosigners] = signers as [DevnetAccount];
    const embedded = parts.map((part) => maker.embedded(...part));
    announce(name, maker.aggregate({ signer, embedded, cosigners }, terms));
  };
  const harvest = async () => {
    now = begin + (DAY_MS / BLOCKS_PER_DAY) * (devnet.height - 1 + random.below(800) / 1_000);
    setTime(now);
    await devnet.harvest(1);
  };
  const bytes = (buffer: Buffer) => new Uint8Array(buffer);

  setTime(now);
  const ids = MOSAICS.map((_, nonce) => generateMosaicId(alice.address, nonce + 1));
  const restricted = generateMosaicId(alice.address, 9);
  const rootId = generateNamespaceId(NAMES[0]);
  for (const name of NAMES) {
    const registration = { registrationType: "root", duration: 1_000_000n, name, id: generateNamespaceId(name) };
    send(`root ${name}`, alice, of("namespace_registration", registration));
  }
  const revokable = { flags: "transferable supply_mutable revokable", duration: 0n };
  for (const [index, [divisibility]] of MOSAICS.entries()) {
    const definition = { nonce: index + 1, id: ids[index], divisibility, ...revokable };
    send(`mosaic ${index}`, alice, of("mosaic_definition", definition));
  }
  const restrictable = { flags: "transferable supply_mutable restrictable", duration: 0n };
  const definition = { nonce: 9, id: restricted, divisibility: 2, ...restrictable };
  send("restrictable mosaic", alice, of("mosaic_definition", definition));
  await harvest();
  for (const [index, [, delta]] of MOSAICS.entries())
    send(`supply ${index}`, alice, of("mosaic_supply_change", { mosaicId: ids[index], delta, action: "increase" }));
  const child = { registrationType: "child", parentId: rootId, name: CHILD, id: generateNamespaceId(CHILD, rootId) };
  send("child", alice, of("namespace_registration", child));
  await harvest();
  for (const [name, { address }] of [
    [NAMES[0], bob],
    [NAMES[1], carol],
  ] as const) {
    const alias = { namespaceId: generateNamespaceId(name), aliasAction: "link", address: bytes(address) };
    send(`alias ${name}`, alice, of("address_alias", alias));
  }
  const alias = { namespaceId: child.id, aliasAction: "link", mosaicId: ids[1] };
  send("alias of a mosaic", alice, of("mosaic_alias", alias));
  const rule = { mosaicId: restricted, restrictionKey: 0x4b_59_43n, newRestrictionValue: 1n };
  const global = { previousRestrictionType: "none", newRestrictionType: "ge", previousRestrictionValue: 0n };
  send("global restriction", alice, of("mosaic_global_restriction", { ...rule, referenceMosaicId: 0n, ...global }));
  const entry = { targetAddress: bytes(alice.address), scopedMetadataKey: 0xd1e2_c3b4_0000_0001n };
  const value = "Heidi";
  together("metadata", [[alice, of("account_metadata", { ...entry, valueSizeDelta: value.length, value })]]);
  const addressAdditions = [alice, bob, carol].map(({ address }) => bytes(address));
  const modification = { minApprovalDelta: 2, minRemovalDelta: 1, addressDeletions: [], addressAdditions };
  together("multisig", [[vault, of("multisig_account_modification", modification)]], [vault, alice, bob, carol]);
  await harvest();
  const free = { previousRestrictionValue: 0xffff_ffff_ffff_ffffn, targetAddress: bytes(dave.address) };
  send("address restriction", alice, of("mosaic_address_restriction", { ...rule, ...free }));
  const blocked = { restrictionFlags: "address block", restrictionAdditions: [bytes(dave.address)] };
  send("account restriction", erin, of("account_address_restriction", { ...blocked, restrictionDeletions: [] }));
  const outgoing = {
    restrictionFlags: "transaction_type outgoing block",
    restrictionAdditions: ["mosaic_definition"],
    restrictionDeletions: [],
  };
  send("operation restriction", erin, of("account_operation_restriction", outgoing));
  const lock = {
    recipientAddress: bytes(dave.address),
    secret: bytes(createHash("sha3-256").update("secret").digest()),
    mosaic: { mosaicId: devnet.currencyMosaicId, amount: 12_500_000n },
    duration: 1_000n,
    hashAlgorithm: "sha3_256",
  };
  send("secret lock", bob, of("secret_lock", lock));
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
      devnet.announce(maker.transaction(from, pay(to, amount, text), { feeMultiplier, ...terms }));
    }
    const back = { ...pay(alice, 1n), mosaics: [{ mosaicId: ids[1]!, amount: 12n }] };
    const swap: [DevnetAccount, Descriptor][] = [
      [alice, pay(bob, 12_340_000n)],
      [bob, back],
    ];
    if (made % 40 === 20) together(`swap ${made}`, swap, [alice, bob]);
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
  return { vault, mosaicId: ids[1]!, hashes };
}
