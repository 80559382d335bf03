/** A body that must be rejected; the message contains `name`. */
export interface WrongBody {
  readonly body: string;
  readonly status: 400 | 409;
  readonly name: string;
  readonly why: string;
}

/** More entries than any list may have. */
const TOO_MANY = 1001;

/** Invalid bodies, derived from a valid one. */
export function wrongBodies(right: unknown): readonly WrongBody[] {
  const members = Object.entries(right as Record<string, unknown>);
  const [first] = members as [[string, unknown]];
  const general: WrongBody[] = [
    { body: "{", status: 400, name: "the body", why: "not JSON" },
    { body: '"text"', status: 400, name: "the body", why: "a text" },
    { body: "[]", status: 400, name: "the body", why: "an array" },
    { body: "null", status: 400, name: "the body", why: "null" },
    { body: "{}", status: 409, name: first[0], why: "nothing in it" },
  ];
  return [...general, ...members.flatMap(([name, value]) => ofMember(right as object, name, value))];
}

function ofMember(right: object, name: string, value: unknown): WrongBody[] {
  const change = (to: unknown, status: 400 | 409, why: string): WrongBody => {
    const body = JSON.stringify({ ...right, [name]: to });
    return { body, status, name, why };
  };
  const always = [change(undefined, 409, "missing"), change(null, 409, "null"), change({}, 400, "an object")];
  if (!Array.isArray(value)) {
    return [...always, change([value], 400, "a list"), change("", 400, "empty"), change("x y", 400, "no such text")];
  }
  const [entry] = value as [unknown];
  return [
    ...always,
    change("text", 400, "no list"),
    change([7], 400, "a number in it"),
    change([entry, null], 400, "null in it"),
    change([entry, "x y"], 400, "a wrong entry"),
    change(new Array(TOO_MANY).fill(entry), 409, "too long"),
  ];
}
