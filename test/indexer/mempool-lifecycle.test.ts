import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { encodeAliasAddress } from "../../catapult/entity/address.js";
import { generateNamespaceId } from "../../catapult/entity/generated-id.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { hexOf, LifeScene, type ReportedEvent, type Source } from "../support/lifecycle-scene.js";

const sources: readonly Source[] = ["broker", "pool"];

describe.each(sources)("the lifecycle of a transaction, with pending transactions from the %s", (source) => {
  let scene: LifeScene;
  let alice: DevnetAccount;
  let bob: DevnetAccount;
  let carol: DevnetAccount;
  let dave: DevnetAccount;
  let erin: DevnetAccount;

  beforeAll(async () => {
    scene = await LifeScene.start(source);
    [alice, bob, carol, dave, erin] = ["alice", "bob", "carol", "dave", "erin"].map((name) =>
      scene.fixture.account(name),
    ) as [DevnetAccount, DevnetAccount, DevnetAccount, DevnetAccount, DevnetAccount];
  });

  beforeEach(async () => {
    await scene.news();
  });

  afterAll(() => scene.stop());

  const key = ({ publicKey }: DevnetAccount) => publicKey.toString("hex").toUpperCase();
  const told = (
    hash: Buffer,
    addresses: readonly Buffer[],
    ...channels: (ReportedEvent["channel"] | readonly [ReportedEvent["channel"], string])[]
  ) =>
    channels.map((one) => {
      const [channel, detail] = typeof one === "string" ? [one, ""] : one;
      return { hash: hash.toString("hex").toUpperCase(), channel, detail, addresses: hexOf(addresses) };
    });

  const addressesOf = (...accounts: DevnetAccount[]) => accounts.map(({ address }) => address);

  test("a transaction that names a namespace concerns the account behind it too", async () => {
    const id = generateNamespaceId("wanted");
    const registration = { type: "namespace_registration_transaction_v1", registrationType: "root", duration: 1000n };
    await scene.confirm(scene.make.transaction(carol, { ...registration, name: "wanted", id }));
    const link = { type: "address_alias_transaction_v1", namespaceId: id, aliasAction: "link" };
    await scene.confirm(scene.make.transaction(carol, { ...link, address: new Uint8Array(carol.address) }));
    await scene.news();
    const alias = encodeAliasAddress(id, scene.fixture.devnet.network.identifier);
    const hash = await scene.confirm(scene.make.transaction(alice, scene.transfer(alias, 2n)));
    const channels = ["unconfirmedAdded", "unconfirmedRemoved", "confirmedAdded"] as const;
    expect(await scene.news()).toEqual(told(hash, [...addressesOf(alice, carol), alias], ...channels));
  });

  test("partial until the deadline: partialRemoved, and a status", async () => {
    const hash = await bonded(600);
    scene.pass(601_000);
    await scene.harvest();
    for (const channel of ["partialRemoved", "status"] as const) await scene.untilReported(hash, channel);
    const code = "Failure_Extension_Partial_Transaction_Cache_Prune";
    const expected = told(hash, addressesOf(alice, bob, carol, erin), "partialRemoved", ["status", code]);
    expect(sorted(await scene.news())).toEqual(sorted(expected));
  });

  /** A bonded aggregate of alice that bob and carol have to cosign, with transfers to erin; its lock is confirmed. */
  async function bonded(deadlineSeconds: number): Promise<Buffer> {
    const embedded = [alice, bob, carol].map((signer) => scene.make.embedded(signer, scene.transfer(erin.address, 1n)));
    const content = { embedded, signer: alice, isBonded: true };
    const payload = scene.make.aggregate(content, { deadlineSeconds, cosignaturesToCome: 2 });
    const hash = await scene.bond(alice, payload);
    expect(await scene.life(hash)).toMatchObject([{ channel: "partialAdded" }]);
    await scene.news();
    return hash;
  }

  const sorted = <T extends ReportedEvent>(events: readonly T[]) =>
    events.toSorted((a, b) => a.channel.localeCompare(b.channel));

  test("a multisig account: its cosigners, and theirs, are notified of what they may cosign, and of nothing else", async () => {
    const multisig = (account: DevnetAccount, cosigner: DevnetAccount) =>
      scene.make.aggregate({
        embedded: [
          scene.make.embedded(account, {
            type: "multisig_account_modification_transaction_v1",
            minApprovalDelta: 1,
            minRemovalDelta: 1,
            addressAdditions: [new Uint8Array(cosigner.address)],
            addressDeletions: [],
          }),
        ],
        signer: account,
        cosigners: [cosigner],
      });
    await scene.confirm(multisig(bob, erin));
    await scene.confirm(multisig(erin, dave));
    // erin signs for bob, dave signs for erin.
    const embedded = [
      scene.make.embedded(alice, scene.transfer(bob.address, 1n)),
      scene.make.embedded(bob, scene.transfer(alice.address, 1n)),
    ];
    const payload = scene.make.aggregate({ embedded, signer: alice, isBonded: true }, { cosignaturesToCome: 1 });
    const hash = await scene.bond(alice, payload);
    const waitingFor = [alice, bob, erin, dave].map(({ address }) => address);
    expect((await scene.life(hash)).map(({ channel, addresses }) => ({ channel, addresses }))).toEqual([
      { channel: "partialAdded", addresses: hexOf(waitingFor) },
    ]);
    await scene.news();
    await scene.fixture.client.pushCosignatures([scene.make.cosignature(dave, hash)]);
    await scene.untilReported(hash, "unconfirmedAdded");
    await scene.harvest();
    const named = [alice, bob].map(({ address }) => address);
    expect(await scene.news()).toEqual([
      ...told(hash, waitingFor, ["cosignature", key(dave)], "partialRemoved"),
      ...told(hash, named, "unconfirmedAdded", "unconfirmedRemoved"),
      ...told(hash, [...named, dave.address], "confirmedAdded"),
    ]);
  });

  test("unconfirmed until the deadline: unconfirmedRemoved, and a status, of which those are notified too who have only cosigned", async () => {
    // dave signs for erin, who signs for bob: as set up above.
    const embedded = [
      scene.make.embedded(alice, scene.transfer(bob.address, 1n)),
      scene.make.embedded(bob, scene.transfer(alice.address, 1n)),
    ];
    const payload = scene.make.aggregate({ embedded, signer: alice, cosigners: [dave] }, { deadlineSeconds: 600 });
    const hash = scene.make.hashOf(payload);
    await scene.fixture.client.pushTransactions([payload]);
    await scene.untilReported(hash, "unconfirmedAdded");
    scene.pass(601_000);
    await scene.harvest();
    await scene.untilReported(hash, "status");
    const named = [alice, bob].map(({ address }) => address);
    expect(await scene.news()).toEqual([
      ...told(hash, named, "unconfirmedAdded", "unconfirmedRemoved"),
      ...told(hash, [...named, dave.address], ["status", "Failure_Core_Past_Deadline"]),
    ]);
  });

  test("after a fork: a confirmed transaction is unconfirmed again, and then confirmed at its new height", async () => {
    const { devnet } = scene.fixture;
    const from = devnet.height;
    const hash = await scene.confirm(scene.make.transaction(alice, scene.transfer(carol.address, 9n)));
    await scene.news();
    const blocks = devnet.fork({ from, blocks: 2 });
    await scene.index.waitForHash(blocks.at(-1)!.hash);
    await scene.untilReported(hash, "unconfirmedAdded", 2);
    expect(await scene.status(hash)).toMatchObject({ group: "unconfirmed" });
    const height = await scene.harvest();
    expect(await scene.news()).toEqual(
      told(hash, [alice.address, carol.address], "unconfirmedAdded", "unconfirmedRemoved", "confirmedAdded"),
    );
    expect(await scene.status(hash)).toMatchObject({ group: "confirmed", height });
  });
});
