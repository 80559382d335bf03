import { FIELD_BYTES, FieldNumber } from "./field-25519.js";

/** The constant of Curve25519 in its twisted Edwards form: -x² + y² = 1 + d·x²·y². */
const D = FieldNumber.of(37095705934669439343138083508754565189542113879843219016388785533085940283555n);
const SQRT_OF_MINUS_ONE =
  FieldNumber.of(19681161376707505956807079304988542015446066515923890162744021073123829784752n);
const ZERO = FieldNumber.of(0n);
const ONE = FieldNumber.of(1n);
const BYTES = { zero: ZERO.bytes(), one: ONE.bytes(), minusOne: new FieldNumber().difference(ZERO, ONE).bytes() };

/** The bit of the last byte that has the sign of x: its lowest bit. */
const SIGN = 0x80;
/** The lowest byte of the modulus; all bits above are set. */
const MODULUS_BYTE = 0xed;

/* Variables of one computation at a time. */
const [y, u, v, q] = [new FieldNumber(), new FieldNumber(), new FieldNumber(), new FieldNumber()];
const [n, Y, Z, product] = [new FieldNumber(), new FieldNumber(), new FieldNumber(), new FieldNumber()];
const [C, E, F, J] = [new FieldNumber(), new FieldNumber(), new FieldNumber(), new FieldNumber()];
const [radicand, root, xOverZ, tOverZ] = [new FieldNumber(), new FieldNumber(), new FieldNumber(), new FieldNumber()];
const [r, s, t] = [new FieldNumber(), new FieldNumber(), new FieldNumber()];

/** `value` to the (P - 5) / 8 = 2^252 - 3. The comments have the exponents. */
function power(to: FieldNumber, value: FieldNumber): void {
  r.square(value); // 2
  s.square(r, 2).product(s, value); // 9
  r.product(r, s).square(r).product(r, s); // 2^5 - 1
  s.square(r, 5);
  r.product(s, r); // 2^10 - 1
  s.square(r, 10).product(s, r); // 2^20 - 1
  t.square(s, 20);
  s.product(t, s).square(s, 10); // 2^50 - 2^10
  r.product(s, r); // 2^50 - 1
  s.square(r, 50).product(s, r); // 2^100 - 1
  t.square(s, 100);
  s.product(t, s).square(s, 50); // 2^250 - 2^50
  r.product(s, r).square(r, 2); // 2^252 - 4
  to.product(r, value);
}

/** Sets `root` to 1 / √`radicand`. @returns false where there is no such root, as of 0 */
function findInverseRoot(): boolean {
  E.square(radicand).product(E, radicand);
  F.square(E).product(F, radicand);
  power(root, F);
  root.product(root, E);
  const check = t.square(root).product(t, radicand).bytes();
  if (check.equals(BYTES.one)) return true;
  root.product(root, SQRT_OF_MINUS_ONE);
  return check.equals(BYTES.minusOne);
}

/**
 * Eight times a point of Ed25519, from its 32 bytes to the same form: what takes a point into the main subgroup. Undefined
 * where the bytes are no point: y is not below P, no x belongs to it, or x is 0 and its sign is set.
 *
 * One power gives both the root for x and the inverse of the denominators. With x = t / v, where t² = u·v, u = y² - 1 and
 * v = d·y² + 1, doubling needs t² only; so X = t·n, Y and Z are doubled three times before t is known.
 */
export function eightTimes(bytes: Uint8Array): Buffer | undefined {
  if (bytes.length !== FIELD_BYTES || !isBelowModulus(bytes)) return undefined;
  const sign = (bytes[FIELD_BYTES - 1] as number) & SIGN;
  y.read(bytes);
  u.square(y);
  v.product(D, u).sum(v, ONE);
  u.difference(u, ONE);
  if (u.bytes().equals(BYTES.zero)) return sign === 0 ? Buffer.from(BYTES.one) : undefined;
  q.product(u, v);

  n.set(ONE);
  Y.product(y, v);
  Z.set(v);
  for (let doubling = 0; doubling < 3; ++doubling) {
    C.square(n).product(C, q);
    E.square(Y);
    F.difference(E, C);
    s.square(Z);
    J.difference(F, s).difference(J, s);
    n.product(n, Y).sum(n, n).product(n, J);
    Y.product(F, s.sum(C, E)).difference(ZERO, Y);
    Z.product(F, J);
  }

  product.product(Z, v);
  radicand.square(product).product(radicand, q);
  if (!findInverseRoot()) return undefined;
  // root² = 1 / (q·Z²·v²) and q·root = √q / (Z·v), which is t / (Z·v) = x / Z, or its negative.
  xOverZ.product(q, root);
  tOverZ.product(xOverZ, v);
  const isNegative = s.product(xOverZ, Z).isOdd() !== (sign !== 0);
  const eightX = s.product(tOverZ, n);
  if (isNegative) eightX.difference(ZERO, eightX);
  const isOdd = eightX.isOdd();
  const result = t.square(root).product(t, q).product(t, product).product(t, v).product(t, Y).bytes();
  if (isOdd) result[FIELD_BYTES - 1] = (result[FIELD_BYTES - 1] as number) | SIGN;
  return result;
}

function isBelowModulus(bytes: Uint8Array): boolean {
  if ((bytes[0] as number) < MODULUS_BYTE || ((bytes[FIELD_BYTES - 1] as number) | SIGN) !== 0xff) return true;
  return bytes.subarray(1, FIELD_BYTES - 1).some((byte) => byte !== 0xff);
}
