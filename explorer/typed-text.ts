// What people type and paste, in the form that the index has.

/** Characters that are not seen: marks of direction, joiners, soft hyphens. */
const INVISIBLE = /[\p{Cf}\p{Cc}]/gu;
const GROUPED_NUMBER = /^#?\d{1,3}(?:[,.'’_ ]\d{3})+$/;
/** Ids, hashes, keys and addresses, which are written in groups too. */
const KEY = /^(?:[0-9A-F]{16}|[0-9A-F]{24}|[0-9A-F]{48}|[0-9A-F]{64}|[A-Z2-7]{39})$/i;

/** Hex digits. */
const PUBLIC_KEY_LENGTH = 64;

/** A text without what only its form has: full-width digits, groups of thousands, `0x`, `#30`, the address of a page. */
export function plainText(text: string): string {
  const shown = text.normalize("NFKC").replace(INVISIBLE, "").trim().replace(/\s+/g, " ");
  const ofPage = /^https?:\/\/\S*\/([^/?#\s]+)\/?(?:[?#]\S*)?$/.exec(shown)?.[1] ?? shown;
  if (GROUPED_NUMBER.test(ofPage)) return ofPage.replace(/\D/g, "");
  const joined = ofPage.replace(/^0x/i, "").replace(/[ :-]/g, "");
  return KEY.test(joined) ? joined : ofPage.replace(/^#(?=\d+$)/, "").replace(/^0x(?=[0-9a-f]+$)/i, "");
}

/** The key of a page in its one form, whatever it is written as. */
export function plainKey(kind: string, key: string): string {
  const text = plainText(key);
  if (kind === "block") return text.replace(/^0+(?=\d)/, "");
  if (kind === "account" && /^[a-z2-7]{39}$/i.test(text)) return text.toUpperCase();
  return text;
}

/** The variables of documents about one account. @param id its address or public key */
export const accountVariables = (id: string): { readonly publicKey: string } | { readonly address: string } =>
  id.length === PUBLIC_KEY_LENGTH ? { publicKey: id } : { address: id };

/** Whether it may be the name of a namespace, or the beginning of one. */
export const isName = (text: string): boolean => /^[a-z0-9_.-]+$/i.test(text);
