/** Bytes that are not an entity of this network: `field` names the position, such as `transactions[3].network`. */
export class EntityError extends Error {
  readonly field: string;

  constructor(field: string, problem: string, options?: ErrorOptions) {
    super(`${field}: ${problem}`, options);
    this.name = "EntityError";
    this.field = field;
  }
}
