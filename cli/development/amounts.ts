import { formatWholeUnits } from "../../schema/graph/formats.js";
import type { RestClient } from "./rest-client.js";

type Mosaics = ReadonlyMap<string, { readonly divisibility: number; readonly name: string }>;

/** Amounts of some mosaics as people say them: in whole units, with the mosaic's name. */
export class Amounts {
  readonly #mosaics: Mosaics;

  private constructor(mosaics: Mosaics) {
    this.#mosaics = mosaics;
  }

  /** @param ids 16 hex digits each @throws RestError */
  static async read(ids: readonly string[], gateway: RestClient): Promise<Amounts> {
    const mosaicIds = [...new Set(ids)];
    const [{ mosaicNames }, mosaics] = await Promise.all([
      gateway.post<{ mosaicNames: readonly { mosaicId: string; names: readonly string[] }[] }>(
        "/namespaces/mosaic/names",
        { mosaicIds },
      ),
      gateway.post<readonly { mosaic: { id: string; divisibility: number } }[]>("/mosaics", { mosaicIds }),
    ]);
    const nameOf = (id: string) => mosaicNames.find(({ mosaicId }) => mosaicId === id)?.names[0] ?? id;
    return new Amounts(
      new Map(mosaics.map(({ mosaic: { id, divisibility } }) => [id, { divisibility, name: nameOf(id) }])),
    );
  }

  /** `1.500000 symbol.xym`; atomic units of a mosaic that does not exist. */
  show(amount: string | bigint, mosaicId: string): string {
    const mosaic = this.#mosaics.get(mosaicId);
    if (!mosaic) return `${amount} atomic units of ${mosaicId}`;
    return `${formatWholeUnits(BigInt(amount), mosaic.divisibility)} ${mosaic.name}`;
  }
}
