import { renderAccount } from "../../catapult/state/account.js";
import { renderAccountRestriction } from "../../catapult/state/account-restriction.js";
import { renderHashLock } from "../../catapult/state/hash-lock.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { renderMetadata } from "../../catapult/state/metadata.js";
import { renderMosaic } from "../../catapult/state/mosaic.js";
import { renderMosaicRestriction } from "../../catapult/state/mosaic-restriction.js";
import { renderMultisig } from "../../catapult/state/multisig.js";
import { renderNamespace } from "../../catapult/state/namespace.js";
import { renderSecretLock } from "../../catapult/state/secret-lock.js";
import { decodeState, type StateByKind } from "../../catapult/state/state.js";

type Render<K extends StateKind> = (state: StateByKind[K], id: string, key: Buffer) => string;

const RENDERERS: { readonly [K in StateKind]: Render<K> } = {
  account: renderAccount,
  mosaic: renderMosaic,
  namespace: (root, id, key) => {
    const entry = root.entries.find((one) => one.id === key.readBigUInt64LE());
    if (!entry) throw new Error(`The root's value has no namespace ${key.toString("hex")}`);
    return renderNamespace(root, entry, 0, id);
  },
  multisig: renderMultisig,
  metadata: renderMetadata,
  hashLock: renderHashLock,
  secretLock: renderSecretLock,
  accountRestriction: renderAccountRestriction,
  mosaicRestriction: renderMosaicRestriction,
};

/**
 * The REST body of a state value; for a namespace without the parts that change with the head.
 * @param key that the value was requested by: of a child namespace its own, although the value is its root's
 */
export function renderState<K extends StateKind>(kind: K, value: Buffer, key: Buffer, id = ""): unknown {
  const render = RENDERERS[kind] as Render<K>;
  return JSON.parse(render(decodeState(kind, value), id, key));
}
