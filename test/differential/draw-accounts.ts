import { METADATA_TYPE } from "../../catapult/state/composite-hash.js";
import { computeEpoch } from "../../ledger/config/finalization-config.js";
import { contentOf } from "./transaction-content.js";
import type { Draw, WalkCast } from "./walk-cast.js";
import type { Party } from "./walk-network.js";

const ZERO_KEY = Buffer.alloc(32);

/** A link of one of three kinds of keys; one that exists is mostly removed. */
export function drawKeyLink(cast: WalkCast, height: number): Draw | undefined {
  const signer = cast.account();
  const state = cast.tables.accounts.get(signer.address);
  const kind = cast.pick(["account_key_link", "node_key_link", "vrf_key_link"] as const);
  if (cast.isZeroKeyPending(signer, kind, height)) return undefined;
  const linked = {
    account_key_link: state?.linkedPublicKey,
    node_key_link: state?.nodePublicKey,
    vrf_key_link: state?.vrfPublicKey,
  };
  const current = linked[kind];
  if (current && cast.chance(88))
    return { signer, content: contentOf(kind, { linkedPublicKey: current, linkAction: 0 }) };
  const linkedPublicKey = keyToLink(cast, kind === "account_key_link");
  if (linkedPublicKey === ZERO_KEY) cast.noteZeroKey(signer, kind, height);
  return { signer, content: contentOf(kind, { linkedPublicKey, linkAction: cast.chance(92) ? 1 : 0 }) };
}

/** Mostly a key that has not signed; the remote account of another one may already own something. */
function keyToLink(cast: WalkCast, isRemote: boolean): Buffer {
  const choice = cast.random.below(100);
  if (choice < 8) return ZERO_KEY;
  if (choice < 10) return cast.account().publicKey;
  if (choice < 15) return cast.bytes(32);
  if (choice < 18 && isRemote) return cast.network.party(`stranger ${cast.random.below(200)}`).publicKey;
  return cast.network.party(`linked ${cast.random.below(60)}`).publicKey;
}

export function drawVotingKeyLink(cast: WalkCast, height: number): Draw {
  const signer = cast.account();
  const { votingSetGrouping, maxVotingKeyLifetime, minVotingKeyLifetime } = cast.network.config;
  const keys = cast.tables.accounts.get(signer.address)?.votingKeys ?? [];
  if (keys.length > 0 && cast.chance(45)) {
    const { publicKey: linkedPublicKey, startEpoch, endEpoch } = cast.pick(keys);
    return { signer, content: contentOf("voting_key_link", { linkedPublicKey, startEpoch, endEpoch }) };
  }
  const epoch = computeEpoch(height, votingSetGrouping);
  const startEpoch =
    Math.max(0, epoch + cast.between(-2, 4)) + (keys.at(-1)?.endEpoch ?? 0) * (cast.chance(85) ? 1 : 0);
  const lifetime = cast.pick([
    minVotingKeyLifetime,
    minVotingKeyLifetime + 2,
    maxVotingKeyLifetime,
    minVotingKeyLifetime - (cast.chance(10) ? 1 : 0),
  ]);
  const linkedPublicKey = cast.chance(10) ? ZERO_KEY : cast.network.party(`voting ${cast.random.below(40)}`).publicKey;
  const terms = {
    linkedPublicKey,
    startEpoch,
    endEpoch: startEpoch + lifetime - 1,
    linkAction: cast.chance(95) ? 1 : 0,
  };
  return { signer, content: contentOf("voting_key_link", terms) };
}

/** A value for an account, mosaic or namespace: a new one, or a change of the one that is there. */
export function drawMetadata(cast: WalkCast): Draw {
  const signer = cast.account();
  const kind = cast.random.below(3);
  const mosaic = kind === 1 ? cast.mosaic() : undefined;
  const namespace = kind === 2 ? cast.namespace() : undefined;
  const target = mosaic?.owner ?? namespace?.owner ?? cast.account();
  const scopedMetadataKey = BigInt(cast.random.below(5));
  const metadataType = mosaic ? METADATA_TYPE.mosaic : namespace ? METADATA_TYPE.namespace : METADATA_TYPE.account;
  const key = {
    sourceAddress: signer.address,
    targetAddress: target.address,
    scopedMetadataKey,
    targetId: mosaic?.id ?? namespace?.id ?? 0n,
    metadataType,
  };
  const before = cast.tables.metadata.get(key)?.value ?? Buffer.alloc(0);
  const after = cast.chance(12) ? Buffer.alloc(0) : cast.bytes(cast.pick([1, 8, 20, 300, 1024]));
  const value = Buffer.alloc(Math.max(before.length, after.length));
  for (let at = 0; at < value.length; ++at) value[at] = (before[at] ?? 0) ^ (after[at] ?? 0);
  const content = contentOf(mosaic ? "mosaic_metadata" : namespace ? "namespace_metadata" : "account_metadata", {
    targetAddress: target.address,
    scopedMetadataKey,
    targetMosaicId: mosaic ? cast.idOf(mosaic) : 0n,
    targetNamespaceId: namespace?.id ?? 0n,
    valueSizeDelta: after.length - before.length + (cast.chance(4) ? 1 : 0),
    value,
  });
  return { signer, content, agreeing: [target], isEmbeddedOnly: true };
}

/** Makes a multisig account, changes its cosignatories, or dissolves it. */
export function drawMultisig(cast: WalkCast): Draw {
  const known = cast.accounts.filter(
    ({ address }) => (cast.tables.multisigs.get(address)?.cosignatoryAddresses.length ?? 0) > 0,
  );
  const signer = known.length > 0 && cast.chance(55) ? cast.pick(known) : cast.account();
  const entry = cast.tables.multisigs.get(signer.address);
  const cosignatories = entry?.cosignatoryAddresses ?? [];
  const deletions =
    cosignatories.length > 0 && cast.chance(60) ? cast.some(cosignatories, cast.chance(85) ? 1 : 2) : [];
  const added: Party[] = deletions.length > 0 && cast.chance(70) ? [] : cast.some(cast.accounts, cast.between(1, 3));
  const count = cosignatories.length + added.length - deletions.length;
  const wanted = count <= 0 ? 0 : cast.between(1, count);
  const delta = (now: number) => wanted - now + (cast.chance(4) ? 1 : 0);
  const content = contentOf("multisig_account_modification", {
    minRemovalDelta: delta(entry?.minRemoval ?? 0),
    minApprovalDelta: delta(entry?.minApproval ?? 0),
    addressAdditions: added.map(({ address }) => (cast.chance(97) ? address : cast.address())),
    addressDeletions: deletions,
  });
  return { signer, content, agreeing: added, isEmbeddedOnly: true };
}
