const COMMA = 0x2c;

/**
 * The bytes of `before`, of the documents separated by commas, and of `after`, concatenated. Encoding each document
 * in place saves building a large text first, which costs more than that.
 */
export function encodeDocumentList(before: string, documents: readonly string[], after: string): Buffer {
  let size = Buffer.byteLength(before) + Buffer.byteLength(after) + Math.max(0, documents.length - 1);
  for (const document of documents) size += Buffer.byteLength(document);
  const bytes = Buffer.allocUnsafeSlow(size);
  let end = bytes.write(before);
  documents.forEach((document, index) => {
    if (index > 0) bytes[end++] = COMMA;
    end += bytes.write(document, end);
  });
  bytes.write(after, end);
  return bytes;
}
