import { hashSecret } from "../../catapult/crypto/secret.js";
import type { ScenarioStage, ScenarioStep } from "./scenario.js";
import type { Cast, Part } from "./scenario-cast.js";
import { addressOf, mosaicDefinition, mosaicOf, supplyChange } from "./state-test-chain.js";

const HASH_ALGORITHMS = ["sha3_256", "hash_160", "hash_256"] as const;
type HashAlgorithm = (typeof HASH_ALGORITHMS)[number];

/** Number of blocks after which unclaimed locks have expired. */
export const LOCK_EXPIRY_BLOCKS = 3;

/** A swap between two accounts, which both have to sign. */
function swap(cast: Cast): readonly Part[] {
  return [
    ["issuer", cast.transfer("buyer")],
    ["buyer", cast.transfer("issuer")],
  ];
}

/**
 * Aggregates of version 1 below the fork height `second`, of version 2 from there on, and the rejection of all
 * others below the fork height `third`, from which on they are of version 3.
 */
export function legacyStages(cast: Cast, second: number, third: number): readonly ScenarioStage[] {
  const swapOf = (name: string, version: 1 | 2 | 3, expected?: ScenarioStep["expected"]) =>
    cast.together(name, swap(cast), { version, cosigners: ["buyer"] }, expected);
  const bondedV1 = cast.bonded("agg bonded v1", swap(cast), { version: 1, cosigners: ["buyer"] });
  const bondedV2 = cast.bonded("agg bonded v2", swap(cast), { version: 2, cosigners: ["buyer"] });
  return [
    {
      title: "below the height of the aggregates' first fork",
      steps: [
        swapOf("agg complete v1", 1),
        swapOf("inv: agg v2 below its height", 2, "Failure_Aggregate_V2_Prohibited"),
        swapOf("inv: agg v3 below the height of v2", 3, "Failure_Aggregate_V3_Prohibited"),
        cast.lockFor("hash lock for v1", bondedV1, "issuer"),
        cast.lockFor("hash lock for v2", bondedV2, "issuer"),
      ],
    },
    { title: "a bonded aggregate of version 1", steps: [bondedV1] },
    {
      title: "between the aggregates' forks",
      fromHeight: second,
      steps: [
        swapOf("agg swap v2", 2),
        cast.together("agg 25 transfers v2", transfers(cast), { version: 2 }),
        bondedV2,
        swapOf("inv: agg v1", 1, "Failure_Aggregate_V1_Prohibited"),
        swapOf("inv: agg v3 below its height", 3, "Failure_Aggregate_V3_Prohibited"),
      ],
    },
    {
      title: "aggregates of older versions",
      fromHeight: third - 1,
      steps: [
        swapOf("inv: agg v1 when v3 is required", 1, "Failure_Aggregate_V1_Prohibited"),
        swapOf("inv: agg v2 when v3 is required", 2, "Failure_Aggregate_V2_Prohibited"),
      ],
    },
  ];
}

function transfers(cast: Cast): readonly Part[] {
  return Array.from({ length: 25 }, (): Part => ["issuer", cast.transfer("buyer")]);
}

/** Aggregates, complete and bonded, and both kinds of locks. */
export function aggregateStages(cast: Cast): readonly ScenarioStage[] {
  const bonded = cast.bonded("agg bonded v3", swap(cast), { cosigners: ["buyer"] });
  const bondedMultisig = cast.bonded("agg bonded by a multisig", [["vault", cast.transfer("issuer")]], {
    signer: "carol",
    cosigners: ["dave"],
  });
  const unwanted = cast.bonded("agg bonded that nobody announces", swap(cast));
  return [
    complete(cast),
    {
      title: "locks",
      steps: cast.steps([
        cast.lockFor("hash lock", bonded, "issuer"),
        cast.lockFor("hash lock for a multisig", bondedMultisig, "issuer"),
        cast.lockFor("hash lock (to expire)", unwanted, "issuer", BigInt(LOCK_EXPIRY_BLOCKS)),
        [
          "inv: hash lock amount",
          "issuer",
          cast.hashLock(Buffer.alloc(32, 9), 50n, 1n),
          "Failure_LockHash_Invalid_Mosaic_Amount",
        ],
        ...HASH_ALGORITHMS.map((algorithm) => secretLock(cast, `secret lock ${algorithm}`, algorithm, algorithm)),
        secretLock(cast, "secret lock (open)", "open", "sha3_256"),
        secretLock(cast, "secret lock (to expire)", "to expire", "sha3_256", BigInt(LOCK_EXPIRY_BLOCKS)),
      ]),
    },
    {
      title: "what locks are for",
      steps: [
        bonded,
        bondedMultisig,
        cast.bonded("inv: bonded without lock", swap(cast), {}, "Failure_LockHash_Unknown_Hash"),
        ...HASH_ALGORITHMS.map((algorithm) => secretProof(cast, `secret proof ${algorithm}`, algorithm, algorithm)),
        secretProof(cast, "secret proof again", "sha3_256", "sha3_256", "Failure_LockSecret_Inactive_Secret"),
        secretProof(cast, "inv: secret mismatch", "open", "sha3_256", "Failure_LockSecret_Secret_Mismatch", "wrong"),
      ],
    },
  ];
}

function complete(cast: Cast): ScenarioStage {
  return {
    title: "complete aggregates",
    steps: cast.steps([
      cast.together("agg swap v3", swap(cast), { cosigners: ["buyer"] }),
      cast.together("agg 25 transfers v3", transfers(cast)),
      cast.together("agg mosaic def+supply", [
        ["issuer", mosaicDefinition("issuer", 5)],
        ["issuer", supplyChange(mosaicOf("issuer", 5), 5n)],
      ]),
      cast.together(
        "agg bad transactions hash",
        swap(cast),
        { cosigners: ["buyer"], transactionsHash: Buffer.alloc(32, 1) },
        "Failure_Aggregate_Transactions_Hash_Mismatch",
      ),
      cast.together(
        "agg ineligible cosigner",
        [["issuer", cast.transfer("buyer")]],
        { cosigners: ["carol"] },
        "Failure_Aggregate_Ineligible_Cosignatories",
      ),
    ]),
  };
}

function secretLock(cast: Cast, name: string, secret: string, algorithm: HashAlgorithm, duration = 50n): ScenarioStep {
  return cast.step(name, "issuer", {
    type: "secret_lock_transaction_v1",
    recipientAddress: addressOf("buyer"),
    secret: secretOf(algorithm, secret),
    mosaic: { mosaicId: cast.currency, amount: 10n },
    duration,
    hashAlgorithm: algorithm,
  });
}

function secretProof(
  cast: Cast,
  name: string,
  secret: string,
  algorithm: HashAlgorithm,
  expected: ScenarioStep["expected"] = "confirmed",
  proof = secret,
): ScenarioStep {
  const descriptor = {
    type: "secret_proof_transaction_v1",
    recipientAddress: addressOf("buyer"),
    secret: secretOf(algorithm, secret),
    hashAlgorithm: algorithm,
    proof: new Uint8Array(Buffer.from(proof)),
  };
  return cast.step(name, "buyer", descriptor, expected);
}

/** The hash of a proof, 32 bytes. */
function secretOf(algorithm: HashAlgorithm, proof: string): Uint8Array {
  return new Uint8Array(hashSecret(HASH_ALGORITHMS.indexOf(algorithm), Buffer.from(proof))!);
}
