import { expect, test } from "@jest/globals";
import { firstValueFrom, type Observable, toArray } from "rxjs";
import sdk from "symbol-sdk-v2";
import { encodeAddress } from "../../catapult/entity/address.js";
import type { StateKind } from "../../catapult/state/kind.js";
import type { RecordedChain } from "../support/recorded-chain.js";
import type { RecordedStates } from "../support/recorded-states.js";

/** A client of the chain makes the bytes of the node again from what it is answered. */
export function describeBytesOfClient(states: () => RecordedStates, chain: RecordedChain): void {
  test("symbol-sdk 2 encodes every body as the recorded bytes", async () => {
    const { rest, recorded } = states();
    const factory = new sdk.RepositoryFactoryHttp(rest.url, {
      networkType: sdk.NetworkType.TEST_NET,
      generationHash: chain.json<{ generationHashSeed: string }>("network.json").generationHashSeed,
      epochAdjustment: 0,
    });
    const pageSize = 100;
    const all = <T>(stream: Observable<T>) => firstValueFrom(stream.pipe(toArray()));
    const namespaces = await all(factory.createNamespaceRepository().streamer().search({ pageSize }));
    const multisigs = factory.createMultisigRepository();
    const ofKind: Record<StateKind, readonly { serialize(): Uint8Array }[]> = {
      account: await all(factory.createAccountRepository().streamer().search({ pageSize })),
      mosaic: await all(factory.createMosaicRepository().streamer().search({ pageSize })),
      namespace: namespaces
        .filter(({ depth }) => depth === 1)
        .map((root) => ({
          serialize: () => root.serialize(namespaces.filter(({ levels }) => levels[0]?.equals(root.id))),
        })),
      multisig: await Promise.all(
        states()
          .keys("multisig")
          .map((key) => {
            const address = sdk.Address.createFromRawAddress(encodeAddress(Buffer.from(key, "hex")));
            return firstValueFrom(multisigs.getMultisigAccountInfo(address));
          }),
      ),
      metadata: (await all(factory.createMetadataRepository().streamer().search({ pageSize }))).map(
        ({ metadataEntry }) => metadataEntry,
      ),
      hashLock: await all(factory.createHashLockRepository().streamer().search({ pageSize })),
      secretLock: await all(factory.createSecretLockRepository().streamer().search({ pageSize })),
      accountRestriction: await all(factory.createRestrictionAccountRepository().streamer().search({ pageSize })),
      mosaicRestriction: await all(factory.createRestrictionMosaicRepository().streamer().search({ pageSize })),
    };
    for (const [kind, entries] of Object.entries(ofKind)) {
      const values = recorded.filter((one) => one.kind === kind).map(({ value }) => value);
      const made = entries.map((entry) => Buffer.from(entry.serialize()).toString("hex").toUpperCase());
      // A request for a child namespace returned the bytes of its root.
      expect({ kind, made: made.sort() }).toEqual({ kind, made: [...new Set(values)].sort() });
      process.stderr.write(`bodies that are the recorded bytes to symbol-sdk 2: ${made.length} of kind ${kind}\n`);
    }
  });
}
