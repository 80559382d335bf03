import { z } from "zod";
import { parseMetalId } from "../../../catapult/state/metal.js";
import { invalidContent, notFound } from "../../../schema/errors/errors.js";
import { path, query } from "../route/argument.js";
import { type ArgumentType, boolean } from "../route/argument-types.js";
import { operationRoute, type Route } from "../route/route.js";

interface MetalData {
  readonly file: {
    readonly content: string;
    readonly text: string | null;
    readonly mimeType: string | null;
    readonly name: string | null;
  } | null;
}

const UNKNOWN_TYPE = "application/octet-stream";
const MAX_MIME_TYPE_LENGTH = 200;
const MAX_FILE_NAME_LENGTH = 255;
/** Clients reject longer headers. */
const MAX_TEXT_BYTES = 4096;

const MIME_TYPE =
  /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(; ?[\w!#$%&'*+.^`|~-]+=([\w!#$%&'*+.^`|~-]+|"[ \w!#$%&'*+.^`|~/=:,-]*"))*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Unpaired surrogates, which cannot be encoded. */
const SURROGATE = /\p{Cs}/u;

/** A text parameter that must satisfy a condition. */
function textThat(expected: string, isRight: (text: string) => boolean): ArgumentType<string> {
  return {
    schema: { type: "string" },
    parse: (name, text) => {
      if (!isRight(text)) throw invalidContent(name, expected);
      return text;
    },
  };
}

const isMimeType = (text: string) => text.length <= MAX_MIME_TYPE_LENGTH && MIME_TYPE.test(text);
const isFileName = (text: string) =>
  text !== "" && text.length <= MAX_FILE_NAME_LENGTH && !CONTROL.test(text) && !SURROGATE.test(text);

const metalId = textThat("a Metal id in base58", (text) => parseMetalId(text) !== undefined);
const mimeType = textThat("a media type, such as image/png", isMimeType);
const fileName = textThat(`a name of at most ${MAX_FILE_NAME_LENGTH} characters`, isFileName);

export const metalRoutes: readonly Route[] = [
  operationRoute(
    {
      method: "GET",
      path: "/metadata/metal/{metalId}",
      operationId: "getMetadataMetal",
      tag: "Metadata",
      summary: "A file stored in metadata entries (Metal); the text stored with it is in Content-MetalText.",
      arguments: {
        metalId: path(metalId, "Metal id of the file."),
        mimeType: query(mimeType, "Content-Type to send instead of the stored one."),
        fileName: query(fileName, "File name to send instead of the stored one."),
        download: query(
          boolean,
          "Whether a browser should download it; default false, but true for files of unknown type.",
        ),
      },
      result: z.string().meta({ format: "binary" }),
      // Any type, of which generators of clients know no form; most read it as bytes then.
      mediaType: UNKNOWN_TYPE,
      canMiss: true,
    },
    {
      operation: "query ($metalId: String!) { file: metalFile(id: $metalId) { content text mimeType name } }",
      followsChain: true,
      variables: (values) => ({ metalId: values.metalId }),
      answer: ({ file }: MetalData, values, requested) => {
        if (!file) throw notFound(requested.metalId ?? "");
        const type = values.mimeType ?? (isMimeType(file.mimeType ?? "") ? file.mimeType : null) ?? UNKNOWN_TYPE;
        const name = values.fileName ?? (isFileName(file.name ?? "") ? file.name : null);
        const isDownload = values.download === true || type === UNKNOWN_TYPE;
        return {
          body: Buffer.from(file.content, "base64"),
          contentType: type,
          headers: {
            "Content-Disposition": disposition(isDownload, name),
            ...metalText(file.text),
            // Anyone can store a page on the chain: it must not run as a page of this server.
            "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
            "X-Content-Type-Options": "nosniff",
          },
        };
      },
    },
  ),
];

/** The header of RFC 6266. */
function disposition(isDownload: boolean, name: string | null): string {
  const kind = isDownload ? "attachment" : "inline";
  if (name === null) return kind;
  const quoted = name.replaceAll(/[^\u0020-\u007e]/g, "_").replaceAll(/["\\]/g, "\\$&");
  const isAscii = /^[\u0020-\u007e]*$/.test(name);
  return `${kind}; filename="${quoted}"${isAscii ? "" : `; filename*=UTF-8''${percentEncoded(name)}`}`;
}

/** Encoded as in RFC 8187. */
function percentEncoded(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The text stored with a file, as UTF-8; undefined if it is not valid in a header. */
function metalText(text: string | null): { readonly [name: string]: string } {
  if (text === null || CONTROL.test(text)) return {};
  const bytes = Buffer.from(text);
  return bytes.length <= MAX_TEXT_BYTES ? { "Content-MetalText": bytes.toString("latin1") } : {};
}
