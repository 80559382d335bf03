import type { Signer } from "./signer.js";
import { deriveBytes, deriveSigner } from "./signer.js";

/** Names of the published funded accounts, in the order of the nemesis block. */
export const USER_NAMES = ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"] as const;
const HARVESTER_NAME = "harvester";
const RESERVE_NAME = "reserve";
const FORMER_VOTER_NAMES = ["voter1", "voter2"] as const;
/** Names of {@link fundedSigners}. */
export const FUNDED_NAMES: readonly string[] = [...USER_NAMES, HARVESTER_NAME];

/** All key pairs of a devnet, derived from its seed. They are public knowledge: never use them on another network. */
export interface DevnetKeys {
  /** Signs the nemesis block and proves its generation hash, owns the currency mosaic and its namespace. */
  readonly nemesis: Signer;
  /** The node's main key: owns the harvested fees and certifies the node's TLS key. */
  readonly harvester: Signer;
  /** Signs blocks for the harvester (linked by the nemesis block). */
  readonly remote: Signer;
  /** Proves the generation hashes of the harvester's blocks. */
  readonly vrf: Signer;
  /** Root of the harvester's voting keys. */
  readonly votingRoot: Signer;
  /** Receives a share of the fees, as the harvester chose. */
  readonly beneficiary: Signer;
  /** Receive fees, and before the treasury reissuance, if there is one. */
  readonly sinks: FeeSinks;
  readonly formerSinks: FeeSinks;
  /** Owns what the others do not, where the rules say what these own. */
  readonly reserve: Signer;
  /** Have a voting key, but lose their vote in the epoch of the treasury reissuance. */
  readonly formerVoters: readonly FormerVoter[];
  /** Funded accounts for developers and tests. */
  readonly users: readonly NamedSigner[];
  /** Generation hash seed of the network, 32 bytes. */
  readonly generationHashSeed: Buffer;
  /** The voting key of a finalization epoch, certified by `votingRoot`. */
  votingKey(epoch: number): Signer;
}

/** Accounts that receive fees. */
export interface FeeSinks {
  /** The network's share of the fees for transactions. */
  readonly harvest: Signer;
  /** Rental fees of mosaics. */
  readonly mosaic: Signer;
  /** Rental fees of namespaces. */
  readonly namespace: Signer;
}

/** An account that votes for some time. */
export interface FormerVoter extends NamedSigner {
  /** Root of its voting keys. */
  readonly votingRoot: Signer;
}

/** A published key pair, by the name of its account. */
export interface NamedSigner {
  readonly name: string;
  readonly signer: Signer;
}

/** The published accounts, the harvester last. */
export function fundedSigners({ users, harvester }: DevnetKeys): readonly NamedSigner[] {
  return [...users, { name: HARVESTER_NAME, signer: harvester }];
}

/** Accounts that are funded too where the rules say who owns the currency at first. */
export function reserveSigners({ formerVoters, reserve }: DevnetKeys): readonly NamedSigner[] {
  return [...formerVoters, { name: RESERVE_NAME, signer: reserve }];
}

/** Derives the keys of a devnet: the same seed always results in the same keys. */
export function deriveDevnetKeys(seed: string): DevnetKeys {
  return {
    nemesis: deriveSigner(seed, "nemesis"),
    harvester: deriveSigner(seed, "harvester"),
    remote: deriveSigner(seed, "remote"),
    vrf: deriveSigner(seed, "vrf"),
    votingRoot: deriveSigner(seed, "voting root"),
    beneficiary: deriveSigner(seed, "beneficiary"),
    sinks: deriveSinks(seed, ""),
    formerSinks: deriveSinks(seed, "former "),
    reserve: deriveSigner(seed, RESERVE_NAME),
    formerVoters: FORMER_VOTER_NAMES.map((name) => ({
      name,
      signer: deriveSigner(seed, `user ${name}`),
      votingRoot: deriveSigner(seed, `voting root ${name}`),
    })),
    users: USER_NAMES.map((name) => ({ name, signer: deriveSigner(seed, `user ${name}`) })),
    generationHashSeed: deriveBytes(seed, "generation hash seed"),
    votingKey: (epoch) => deriveSigner(seed, `voting key ${epoch}`),
  };
}

function deriveSinks(seed: string, prefix: string): FeeSinks {
  const sink = (name: string) => deriveSigner(seed, `${prefix}${name} sink`);
  return { harvest: sink("harvest"), mosaic: sink("mosaic"), namespace: sink("namespace") };
}
