/*
 * The functions of the schema `analytics`: see 005-views.ts.
 */

/** Entity types of transactions. Source: catbuffer `transaction_type.cats`. */
export const TRANSACTION_TYPES: Readonly<Record<string, number>> = {
  account_key_link: 0x414c,
  node_key_link: 0x424c,
  vrf_key_link: 0x4243,
  aggregate_complete: 0x4141,
  aggregate_bonded: 0x4241,
  hash_lock: 0x4148,
  mosaic_supply_revocation: 0x434d,
  address_alias: 0x424e,
  account_address_restriction: 0x4150,
  account_mosaic_restriction: 0x4250,
  account_operation_restriction: 0x4350,
  voting_key_link: 0x4143,
  secret_lock: 0x4152,
  secret_proof: 0x4252,
  account_metadata: 0x4144,
  mosaic_metadata: 0x4244,
  namespace_metadata: 0x4344,
  mosaic_definition: 0x414d,
  mosaic_supply_change: 0x424d,
  multisig_account_modification: 0x4155,
  mosaic_alias: 0x434e,
  namespace_registration: 0x414e,
  mosaic_address_restriction: 0x4251,
  mosaic_global_restriction: 0x4151,
  transfer: 0x4154,
};

/** Types of receipts. Source: catbuffer `receipt_type.cats`. */
export const RECEIPT_TYPES: Readonly<Record<string, number>> = {
  mosaic_rental_fee: 0x124d,
  namespace_rental_fee: 0x134e,
  harvest_fee: 0x2143,
  hash_lock_completed: 0x2248,
  hash_lock_expired: 0x2348,
  secret_lock_completed: 0x2252,
  secret_lock_expired: 0x2352,
  hash_lock_created: 0x3148,
  secret_lock_created: 0x3152,
  mosaic_expired: 0x414d,
  namespace_expired: 0x414e,
  namespace_deleted: 0x424e,
  inflation: 0x5143,
};

/** SQL: the name of a number; other numbers stay as they are. */
function nameOf(names: Readonly<Record<string, number>>, number: string): string {
  const cases = Object.entries(names).map(([name, value]) => `when ${value} then '${name}'`);
  return `case ${number} ${cases.join(" ")} else (${number})::text end`;
}

/** SQL: the name of a transaction type. */
export const transactionType = (number: string): string => nameOf(TRANSACTION_TYPES, number);

/** SQL: the name of a receipt type. */
export const receiptType = (number: string): string => nameOf(RECEIPT_TYPES, number);

/** Five bits of 24 bytes from bit 5n on, as a character of base32. */
function base32Character(n: number): string {
  const [byte, shift] = [Math.floor((5 * n) / 8), 11 - ((5 * n) % 8)];
  const next = byte < 23 ? `get_byte(b, ${byte + 1})` : "0";
  return `substr('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 1 + (((get_byte(b, ${byte}) << 8 | ${next}) >> ${shift}) & 31), 1)`;
}
const ADDRESS = Array.from({ length: 39 }, (_, n) => base32Character(n)).join("\n      || ");

/** Bytes after the 0 of a text message, read as LATIN1, that are UTF-8: within E'', whatever standard_conforming_strings is. */
const UTF8 = [
  "[\\\\x01-\\\\x7f]",
  "[\\\\xc2-\\\\xdf][\\\\x80-\\\\xbf]",
  "\\\\xe0[\\\\xa0-\\\\xbf][\\\\x80-\\\\xbf]",
  "[\\\\xe1-\\\\xec\\\\xee\\\\xef][\\\\x80-\\\\xbf]{2}",
  "\\\\xed[\\\\x80-\\\\x9f][\\\\x80-\\\\xbf]",
  "\\\\xf0[\\\\x90-\\\\xbf][\\\\x80-\\\\xbf]{2}",
  "[\\\\xf1-\\\\xf3][\\\\x80-\\\\xbf]{3}",
  "\\\\xf4[\\\\x80-\\\\x8f][\\\\x80-\\\\xbf]{2}",
].join("|");

/** A little-endian number at an offset of `b`, from 0. */
const uint = (size: number, offset: string) =>
  Array.from({ length: size }, (_, n) => `(get_byte(b, ${offset} + ${n})::int8 << ${8 * n})`).join(" | ");

export interface SqlFunction {
  /** The signature with its arguments. */
  readonly signature: string;
  readonly returns: string;
  readonly language: "sql" | "plpgsql";
  readonly volatility: "immutable" | "stable";
  readonly body: string;
  readonly comment: string;
}

/** In the order of creation. */
export const FUNCTIONS: readonly SqlFunction[] = [
  {
    signature: "address(b bytea)",
    returns: "text",
    language: "plpgsql",
    volatility: "immutable",
    body: `begin
      if length(b) <> 24 then return null; end if;
      return ${ADDRESS};
    end`,
    comment: "The text of an address of 24 bytes: 39 characters of base32; null for another length.",
  },
  {
    signature: "message_bytes(b bytea, embedded boolean)",
    returns: "bytea",
    language: "plpgsql",
    volatility: "immutable",
    // The recipient (24 bytes) is followed by the message's size (2), the number of mosaics (1) and 5 reserved bytes.
    body: `declare start int := case when embedded then 48 else 128 end;
    begin
      return substring(b from start + 33 + 16 * get_byte(b, start + 26)
        for get_byte(b, start + 24) + 256 * get_byte(b, start + 25));
    end`,
    comment: "The message in the bytes of a transfer.",
  },
  {
    signature: "message_text(message bytea)",
    returns: "text",
    language: "plpgsql",
    volatility: "immutable",
    body: `declare content bytea := substring(message from 2);
    begin
      if length(message) = 0 or get_byte(message, 0) <> 0 or position(decode('00', 'hex') in content) > 0
        or convert_from(content, 'LATIN1') !~ E'^(?:${UTF8})*$' then return null; end if;
      return convert_from(content, 'UTF8');
    end`,
    comment: "The text of a message that begins with a byte 0, as wallets mark plain text; null if it is no UTF-8.",
  },
  {
    signature: "receipt_mosaic(b bytea, type int, amount int8, account bytea)",
    returns: "bytea",
    language: "plpgsql",
    volatility: "immutable",
    body: `declare place int := 12; found bytea; mosaic bytea;
    begin
      while place + 24 <= length(b) loop
        if (${uint(2, "place + 6")}) = type and (${uint(8, "place + 16")}) = amount
          and (account = ''::bytea or substring(b from place + 25 for 24) = account) then
          mosaic := ${Array.from({ length: 8 }, (_, n) => `substring(b from place + ${16 - n} for 1)`).join(" || ")};
          if found <> mosaic then return null; end if;
          found := mosaic;
        end if;
        place := place + (${uint(4, "place")})::int;
      end loop;
      return found;
    end`,
    comment:
      "The mosaic of the receipt of this type, amount and first account (empty if it has none) in the bytes of a statement; null if several differ in nothing else.",
  },
];
