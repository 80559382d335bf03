import type { SimulationBody } from "../../catapult/body/simulation.js";
import type { NodeResources } from "../../catapult/network/node-resources.js";
import { NetworkClock } from "../../catapult/wire/network-clock.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { inOneState } from "../../database/lists/one-state.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { TrialLimitError } from "../../ledger/engine/sparse-state.js";
import { invalidArgument, serviceUnavailable } from "./errors.js";
import { openHeadState } from "./head-state.js";
import { networkOf } from "./network-identity.js";
import { NetworkRules } from "./network-rules.js";
import { readCandidate, simulate } from "./simulator.js";
import { TrialRulesReader } from "./trial-rules.js";

export interface TrialsOptions {
  readonly node: NodeClient;
  readonly resources: NodeResources | undefined;
}

/** Tries transactions on the state of the index. */
export class Trials {
  readonly #node: NodeClient;
  readonly #rules: NetworkRules;
  readonly #trialRules: TrialRulesReader;
  readonly #clock: NetworkClock;

  constructor({ node, resources }: TrialsOptions) {
    this.#node = node;
    this.#rules = new NetworkRules(resources);
    this.#trialRules = new TrialRulesReader(resources);
    this.#clock = new NetworkClock(node);
  }

  /**
   * What would happen to these transactions in the next block, each after those before it.
   *
   * @param isUnsigned whether they are yet to be signed
   * @throws ApiError InvalidContent for bytes that are not a transaction, InvalidArgument if they need too much of the
   *   state, ServiceUnavailable if the index cannot judge them; errors of an unreachable database
   */
  async simulate(db: Db, payloads: readonly Buffer[], isUnsigned: boolean): Promise<SimulationBody[]> {
    const network = await networkOf({ db, node: this.#node });
    const known = await this.#trialRules.read(network);
    if (!known)
      throw serviceUnavailable("this needs the node's resource files: set CATAPULT_RESOURCES to their folder");
    const { config, minFeeMultiplier } = known;
    return inOneState(db, async (snapshot) => {
      const { height, timestamp } = await readIndexPoint(snapshot);
      const rules = await this.#rules.read(network, height + 1);
      // Without a node, time stands still at the last block.
      const now = await this.#clock.now().catch(() => timestamp);
      const options = { network, rules, isUnsigned, now, minFeeMultiplier };
      const candidates = payloads.map((bytes, index) => readCandidate(bytes, `payloads[${index}]`, options));
      const state = await openHeadState(
        snapshot,
        config,
        candidates.map(({ hash }) => hash),
      );
      if (!state) throw serviceUnavailable("the state of the index was not computed by executing all of its blocks");
      try {
        return await simulate(state, candidates, options);
      } catch (error) {
        if (error instanceof TrialLimitError) throw invalidArgument(`payloads: this ${error.message}`);
        throw error;
      }
    });
  }
}
