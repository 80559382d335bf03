import { signData } from "../../catapult/crypto/signature.js";
import { encodeAddress } from "../../catapult/entity/address.js";
import type {
  AccountIdentifier,
  ConstructionMetadataResponse,
  ConstructionParseResponse,
  ConstructionPayloadsResponse,
  ConstructionPreprocessResponse,
  Currency,
  Operation,
  PublicKey,
  Signature,
  SigningPayload,
} from "../../mesh/standard/schemas.js";
import type { MeshClient } from "./mesh-client.js";
import type { Party } from "./transaction-maker.js";

/** An amount of a currency in atomic units. */
export interface Sum {
  readonly value: bigint;
  readonly currency: Currency;
}

/** The operations of transfers and signers, with their positions. */
export function operationsOf(
  ...contents: readonly (readonly Omit<Operation, "operation_identifier">[])[]
): Operation[] {
  return contents.flat().map((content, index) => ({ operation_identifier: { index }, ...content }));
}

/** A debit and its credit for each sum. */
export function transfer(from: Party, to: Party, sums: readonly Sum[], message?: Record<string, string>) {
  return sums.flatMap(({ value, currency }, index) => [
    {
      type: "transfer",
      account: accountOf(from),
      amount: { value: String(-value), currency },
      ...(index === 0 && message && { metadata: message }),
    },
    { type: "transfer", account: accountOf(to), amount: { value: String(value), currency } },
  ]);
}

export function cosign(...parties: readonly Party[]) {
  return parties.map((party) => ({ type: "cosign", account: accountOf(party) }));
}

export function accountOf({ address }: Pick<Party, "address">): AccountIdentifier {
  return { address: encodeAddress(address) };
}

export function publicKeyOf({ publicKey }: Pick<Party, "publicKey">): PublicKey {
  return { hex_bytes: publicKey.toString("hex"), curve_type: "edwards25519" };
}

/** Signs what accounts are to sign, each with the key of its party. */
export function signAll(payloads: readonly SigningPayload[], parties: readonly Party[]): Signature[] {
  return payloads.map((payload) => {
    const party = partyOf(parties, payload.account_identifier?.address);
    return {
      signing_payload: payload,
      public_key: publicKeyOf(party),
      signature_type: "ed25519",
      hex_bytes: signData(party.privateKey, Buffer.from(payload.hex_bytes, "hex")).toString("hex"),
    };
  });
}

function partyOf(parties: readonly Party[], address: string | undefined): Party {
  const party = parties.find((one) => encodeAddress(one.address) === address);
  if (!party) throw new Error(`no key of ${address}`);
  return party;
}

/** A constructed transaction. */
export interface Constructed {
  /** The text that `/construction/submit` takes. */
  readonly text: string;
  /** Bytes of the transaction; empty for a cosignature. */
  readonly payload: Buffer;
  readonly hash: string;
  readonly parsed: ConstructionParseResponse;
}

/** Constructs transactions as a client does, and verifies what every step returns. */
export class Constructor {
  readonly #mesh: MeshClient;
  readonly #parties: readonly Party[];

  /** @param parties all that may sign or send */
  constructor(mesh: MeshClient, parties: readonly Party[]) {
    this.#mesh = mesh;
    this.#parties = parties;
  }

  /** `/construction/preprocess`, then `/construction/metadata`. */
  async metadata(operations: readonly Operation[], choices = {}): Promise<ConstructionMetadataResponse> {
    const { options } = await this.#preprocess(operations, choices);
    return this.#mesh.ask<ConstructionMetadataResponse>("/construction/metadata", { options });
  }

  #preprocess(operations: readonly Operation[], metadata: object): Promise<ConstructionPreprocessResponse> {
    return this.#mesh.ask("/construction/preprocess", { operations, metadata });
  }

  /** All rounds from payloads to hash: parses every text, and signs until no signature is missing. */
  async construct(operations: readonly Operation[], metadata: Record<string, unknown>): Promise<Constructed> {
    const { required_public_keys: required = [] } = await this.#preprocess(operations, {});
    const public_keys = required.map(({ address }) => publicKeyOf(partyOf(this.#parties, address)));
    let text = await this.#round(operations, metadata, public_keys);
    let parsed = await this.parse(text, true);
    while (missingIn(parsed) > 0) {
      text = await this.#round(operations, { ...metadata, signed_transaction: text }, public_keys);
      parsed = await this.parse(text, true);
    }
    const { transaction_identifier } = await this.#mesh.ask<{ transaction_identifier: { hash: string } }>(
      "/construction/hash",
      { signed_transaction: text },
    );
    const { payload = "" } = JSON.parse(text) as { payload?: string };
    return { text, payload: Buffer.from(payload, "hex"), hash: transaction_identifier.hash, parsed };
  }

  async #round(operations: readonly Operation[], metadata: unknown, public_keys: PublicKey[]): Promise<string> {
    const { unsigned_transaction, payloads } = await this.#mesh.ask<ConstructionPayloadsResponse>(
      "/construction/payloads",
      { operations, metadata, public_keys },
    );
    const unsigned = await this.parse(unsigned_transaction, false);
    if (unsigned.account_identifier_signers?.length !== 0) throw new Error("an unsigned transaction has signers");
    const { signed_transaction } = await this.#mesh.ask<{ signed_transaction: string }>("/construction/combine", {
      unsigned_transaction,
      signatures: signAll(payloads, this.#parties),
    });
    return signed_transaction;
  }

  parse(transaction: string, signed: boolean): Promise<ConstructionParseResponse> {
    return this.#mesh.ask<ConstructionParseResponse>("/construction/parse", { transaction, signed });
  }

  async submit({ text }: Pick<Constructed, "text">): Promise<string> {
    const { transaction_identifier } = await this.#mesh.ask<{ transaction_identifier: { hash: string } }>(
      "/construction/submit",
      { signed_transaction: text },
    );
    return transaction_identifier.hash;
  }
}

function missingIn({ metadata = {} }: ConstructionParseResponse): number {
  return (metadata.missing_signers as readonly unknown[]).length;
}

/** Operations without their relations, which requests need not have. */
export function withoutRelations(operations: readonly Operation[]): Omit<Operation, "related_operations">[] {
  return operations.map(({ related_operations: _, ...operation }) => operation);
}
