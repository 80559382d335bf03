import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import type { ErrorBody, NetworkIdentifier } from "../../mesh/standard/schemas.js";
import type { MeshStandard } from "../contract/mesh-standard.js";

interface MeshAnswer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

type Operation = { readonly post: { readonly responses: Readonly<Record<string, JsonContent>> } };
type JsonContent = {
  readonly content: { readonly "application/json": { readonly schema: { readonly $ref: string } } };
};

/** The standard's OpenAPI file without texts. */
export const meshStandard = JSON.parse(
  readFileSync(new URL("../../../test/data/mesh-standard.json", import.meta.url), "utf8"),
) as MeshStandard;

// The keywords of OpenAPI around its schemas are none of JSON schema.
const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(meshStandard, "standard");
const validators = new Map<string, ValidateFunction>();

/** What is wrong with a value, according to a schema of the standard; undefined if nothing is. */
function meshProblem(reference: string, value: unknown): string | undefined {
  const validate = validators.get(reference) ?? ajv.compile({ $ref: `standard${reference}` });
  validators.set(reference, validate);
  return validate(value) ? undefined : `${reference}: ${ajv.errorsText(validate.errors)}`;
}

/** Calls endpoints of Mesh. Every response, error or not, is validated by the standard's file. */
export class MeshClient {
  readonly #url: () => string;
  #network: NetworkIdentifier | undefined;

  /** @param at a gateway that has Mesh at /mesh, perhaps once it is started, or the URL of Mesh */
  constructor(at: { readonly url: string } | string) {
    this.#url = () => (typeof at === "string" ? at : `${at.url}/mesh`);
  }

  async network(): Promise<NetworkIdentifier> {
    this.#network ??= (await this.send<{ network_identifiers: NetworkIdentifier[] }>("/network/list", {})).body
      .network_identifiers[0]!;
    return this.#network;
  }

  /** The body of a successful response to a request about the network. */
  async ask<Body>(path: string, request: Readonly<Record<string, unknown>> = {}): Promise<Body> {
    const { status, body } = await this.send<Body>(path, { network_identifier: await this.network(), ...request });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** The body of a failed response to a request about the network. */
  async fail(path: string, request: Readonly<Record<string, unknown>> = {}): Promise<ErrorBody> {
    const answer = await this.send<ErrorBody>(path, { network_identifier: await this.network(), ...request });
    if (answer.status !== 500) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** A response to any body. @throws Error for a response that is not as the standard requires */
  async send<Body>(path: string, body: unknown, init: RequestInit = {}): Promise<MeshAnswer<Body>> {
    const response = await fetch(this.#url() + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...init,
    });
    const answer = (await response.json()) as Body;
    const operation = meshStandard.paths[path] as Operation | undefined;
    const { $ref } = operation?.post.responses[response.status]?.content["application/json"].schema ?? {
      $ref: "#/components/schemas/Error",
    };
    const problem = meshProblem($ref, answer);
    if (problem !== undefined) throw new Error(`${path}: ${problem} in ${JSON.stringify(answer).slice(0, 500)}`);
    return { status: response.status, headers: response.headers, body: answer };
  }
}
