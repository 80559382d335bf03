import { hashSecret } from "../../catapult/crypto/secret.js";
import { secretLockCompositeHash } from "../../catapult/state/composite-hash.js";
import { LOCK_STATUS } from "../../catapult/state/lock.js";
import { contentOf } from "./transaction-content.js";
import type { Draw, WalkCast } from "./walk-cast.js";

/** A lock; a third of the time with the secret and recipient of an earlier one. */
export function drawSecretLock(cast: WalkCast): Draw {
  const old = cast.recent(cast.secrets);
  const again = old && cast.chance(35) ? old : undefined;
  const proof = again?.proof ?? cast.bytes(cast.pick([0, 1, 20, 32, 100]));
  const algorithm = again?.algorithm ?? cast.random.below(3);
  const secret = again?.secret ?? hashSecret(algorithm, proof)!;
  const recipient = again && cast.chance(85) ? again.recipient : cast.address();
  const known = { proof, algorithm, secret, recipient };
  cast.remember(cast.secrets, known);
  const duration = BigInt(cast.chance(98) ? cast.between(1, 31) : cast.between(0, 40_000_000));
  const signer = cast.account();
  const locked = { mosaicId: cast.mosaicId(signer), amount: BigInt(cast.between(cast.chance(3) ? 0 : 1, 50)) };
  const terms = { recipientAddress: recipient, secret, hashAlgorithm: algorithm };
  return { signer, content: contentOf("secret_lock", { ...terms, ...locked, duration }) };
}

export function drawSecretProof(cast: WalkCast): Draw | undefined {
  const locked = cast.secrets.filter(({ secret, recipient }) => {
    const lock = cast.tables.secretLocks.get(secretLockCompositeHash(secret, cast.resolved(recipient)));
    return lock?.status === LOCK_STATUS.unused;
  });
  const known = cast.recent(locked.length > 0 && cast.chance(90) ? locked : cast.secrets);
  if (!known) return undefined;
  const recipientAddress = cast.chance(96) ? known.recipient : cast.address();
  const hashAlgorithm = cast.chance(97) ? known.algorithm : cast.random.below(3);
  const proof = cast.chance(96) ? known.proof : cast.bytes(8);
  const content = contentOf("secret_proof", { recipientAddress, secret: known.secret, hashAlgorithm, proof });
  return { signer: cast.account(), content };
}
