// Examples of parameters are of a recorded chain. Where the page tries requests out, they are of the chain that is served:
// of its first block, a transaction in it, and an account.

const readJson = async (path) => (await fetch(new URL(`../${path}`, location))).json();

async function ownValues() {
  const { block } = await readJson("blocks/1");
  const values = { height: "1", fromHeight: "1", toHeight: "1", signerPublicKey: block.signerPublicKey };
  const { data } = await readJson("transactions/confirmed?height=1");
  if (data?.[0]) Object.assign(values, { hash: data[0].meta.hash, transactionId: data[0].meta.hash });
  const [{ account } = {}] = (await readJson("accounts")).data ?? [];
  const { address, mosaics } = account ?? {};
  return {
    ...values,
    ...(account && { address, accountId: address, ownerAddress: address, mosaicId: mosaics[0]?.id }),
  };
}

/** Replaces the examples in the description that Swagger UI has read. */
globalThis.withOwnExamples = async (response) => {
  if (!response.url.endsWith("/openapi.json")) return response;
  const values = await ownValues().catch(() => ({}));
  const description = JSON.parse(response.text);
  const operations = Object.values(description.paths).flatMap((path) => Object.values(path));
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    if (parameter.example !== undefined) parameter.example = values[parameter.name] ?? parameter.example;
  }
  // The whole address, as programs need it.
  description.servers = [{ url: new URL("..", location).href.replace(/\/$/, "") }];
  return Object.assign(response, { text: JSON.stringify(description) });
};
