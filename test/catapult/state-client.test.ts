/** @jest-environment ./test/support/sdk-environment.js */

import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { firstValueFrom, type Observable } from "rxjs";
import type { StateMerkleProof, StateProofService } from "symbol-sdk-v2";
import sdk from "symbol-sdk-v2";
import { encodeAddress } from "../../catapult/entity/address.js";
import { idText } from "../../catapult/json/format.js";
import { renderAccount } from "../../catapult/state/account.js";
import { renderAccountRestriction } from "../../catapult/state/account-restriction.js";
import { hasEnded } from "../../catapult/state/end.js";
import { renderHashLock } from "../../catapult/state/hash-lock.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { renderMetadata } from "../../catapult/state/metadata.js";
import { renderMosaic } from "../../catapult/state/mosaic.js";
import { renderMosaicRestriction } from "../../catapult/state/mosaic-restriction.js";
import { renderMultisig } from "../../catapult/state/multisig.js";
import { renderNamespace } from "../../catapult/state/namespace.js";
import { renderSecretLock } from "../../catapult/state/secret-lock.js";
import { decodeState, type StateByKind } from "../../catapult/state/state.js";
import { renderStatePath } from "../../catapult/state/tree-path.js";
import { withActive } from "../support/namespace-meta.js";
import { describeRecorded } from "../support/recorded-chain.js";

const HEIGHT = 596;

/** The path of a kind, and the method of the earlier client library that proves it. */
interface Client<K extends StateKind> {
  readonly name: (key: Buffer) => string;
  readonly path: (name: string) => string;
  readonly merklePath?: (name: string) => string;
  readonly render: (state: StateByKind[K], id: string) => string;
  readonly prove: (service: StateProofService, name: string) => Observable<StateMerkleProof>;
}

const hexName = (key: Buffer) => key.toString("hex").toUpperCase();
const idName = (key: Buffer) => idText(key.readBigUInt64LE());

const CLIENTS: { readonly [K in StateKind]: Client<K> } = {
  account: {
    name: encodeAddress,
    path: (name) => `/accounts/${name}`,
    render: renderAccount,
    prove: (service, name) => service.accountById(sdk.Address.createFromRawAddress(name)),
  },
  namespace: {
    name: idName,
    path: (name) => `/namespaces/${name}`,
    render: (root, id) => {
      const document = renderNamespace(root, root.entries[0]!, 0, id);
      return withActive(document, !hasEnded(root.endHeight, HEIGHT));
    },
    prove: (service, name) => service.namespaceById(sdk.NamespaceId.createFromEncoded(name)),
  },
  mosaic: {
    name: idName,
    path: (name) => `/mosaics/${name}`,
    render: renderMosaic,
    prove: (service, name) => service.mosaicById(new sdk.MosaicId(name)),
  },
  multisig: {
    name: encodeAddress,
    path: (name) => `/account/${name}/multisig`,
    render: renderMultisig,
    prove: (service, name) => service.multisigById(sdk.Address.createFromRawAddress(name)),
  },
  hashLock: {
    name: hexName,
    path: (name) => `/lock/hash/${name}`,
    render: renderHashLock,
    prove: (service, name) => service.hashLockById(name),
  },
  secretLock: {
    name: hexName,
    path: (name) => `/lock/secret/${name}`,
    render: renderSecretLock,
    prove: (service, name) => service.secretLockById(name),
  },
  accountRestriction: {
    name: encodeAddress,
    path: (name) => `/restrictions/account/${name}`,
    render: renderAccountRestriction,
    prove: (service, name) => service.accountRestrictionById(sdk.Address.createFromRawAddress(name)),
  },
  mosaicRestriction: {
    name: hexName,
    path: (name) => `/restrictions/mosaic/${name}`,
    render: renderMosaicRestriction,
    prove: (service, name) => service.mosaicRestrictionById(name),
  },
  metadata: {
    name: hexName,
    path: (name) => `/metadata/${name}`,
    render: renderMetadata,
    prove: (service, name) => service.metadataById(name),
  },
};

interface RecordedState {
  readonly kind: StateKind;
  readonly key: Buffer;
  readonly value: Buffer;
}

describeRecorded("the earlier client library, which makes state values again from documents,", (chain) => {
  const hex = (text: string) => Buffer.from(text, "hex");
  const paths = new Map(
    chain
      .lines<{ kind: StateKind; key: string; path: string }>("state-paths.jsonl.gz")
      .map(({ kind, key, path }) => [`${kind} ${key}`, hex(path)]),
  );
  const states: RecordedState[] = chain
    .lines<{ kind: StateKind; key: string; value: string }>("states.jsonl.gz")
    .map(({ kind, key, value }) => ({ kind, key: hex(key), value: hex(value) }))
    .filter(({ kind, key, value }) => kind !== "namespace" || value.subarray(2, 10).equals(key));
  const bodies = new Map<string, string>();
  let server: Server;
  let service: StateProofService;

  beforeAll(async () => {
    let count = 0;
    for (const state of states) putBodies(state, (++count).toString(16).toUpperCase().padStart(24, "0"));
    server = createServer((request, response) => {
      const body = bodies.get(request.url ?? "") ?? namespacesOfRoot(request.url ?? "");
      response.writeHead(body ? 200 : 404, { "content-type": "application/json" });
      response.end(body ?? JSON.stringify({ code: "ResourceNotFound", message: request.url }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const factory = new sdk.RepositoryFactoryHttp(`http://127.0.0.1:${port}`, {
      networkType: sdk.NetworkType.TEST_NET,
      generationHash: chain.networkFile.generationHashSeed,
      epochAdjustment: chain.networkFile.epochAdjustment,
    });
    service = new sdk.StateProofService(factory);
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function putBodies({ kind, key, value }: RecordedState, id: string): void {
    const client = CLIENTS[kind] as Client<StateKind>;
    const path = client.path(client.name(key));
    bodies.set(path, client.render(decodeState(kind, value), id));
    bodies.set(`${path}/merkle`, renderStatePath(paths.get(`${kind} ${hexName(key)}`)!));
  }

  /** `GET /namespaces?level0=…`: all namespaces of a root, on the first page. */
  function namespacesOfRoot(url: string): string | undefined {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const level0 = searchParams.get("level0");
    if (pathname !== "/namespaces" || level0 === null) return undefined;
    const state = states.find(({ kind, key }) => kind === "namespace" && idName(key) === level0)!;
    const root = decodeState("namespace", state.value);
    const data =
      searchParams.get("pageNumber") === "1"
        ? root.entries.map((entry) => withActive(renderNamespace(root, entry, 0, "0".repeat(24)), true))
        : [];
    return `{"data":[${data.join()}],"pagination":{"pageNumber":1,"pageSize":${data.length}}}`;
  }

  test.each(STATE_KINDS)("encodes the bytes of each %s, and finds them in its tree", async (kind) => {
    const client = CLIENTS[kind] as Client<StateKind>;
    const root = hexName(chain.subCacheMerkleRoots()[STATE_KINDS.indexOf(kind)]!);
    const counts = { proven: 0, notInTree: 0 };
    for (const { key, value } of states.filter((state) => state.kind === kind)) {
      // The library cannot read the merkle body of an empty tree.
      if (paths.get(`${kind} ${hexName(key)}`)!.length === 0) continue;
      const proof = await firstValueFrom(client.prove(service, client.name(key)));
      expect(proof.rootHash).toBe(root);
      expect(proof.stateHash).toBe(hexName(createHash("sha3-256").update(value).digest()));
      if (proof.valid) ++counts.proven;
      else ++counts.notInTree;
    }
    process.stderr.write(`${kind}: ${JSON.stringify(counts)}\n`);
    const notInTree: Partial<Record<StateKind, number>> = { secretLock: 12, namespace: 1 };
    expect(counts.notInTree).toBe(notInTree[kind] ?? 0);
    if (kind !== "hashLock") expect(counts.proven).toBeGreaterThan(9);
  });
});
