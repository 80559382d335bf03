import type { ScenarioStage } from "./scenario.js";
import { MOSAICS } from "./scenario-assets.js";
import type { Cast } from "./scenario-cast.js";
import {
  accountLink,
  addressRestriction,
  mosaicListing,
  multisigChange,
  nodeLink,
  operationRestriction,
  votingLink,
  vrfLink,
} from "./state-descriptors.js";
import { mosaicDefinition } from "./state-test-chain.js";

/** Key links, multisig accounts and account restrictions. */
export function accountStages(cast: Cast): readonly ScenarioStage[] {
  return [links(cast), unlinks(cast), multisigs(cast), restrictions(cast), restrictionsAtWork(cast)];
}

function links(cast: Cast): ScenarioStage {
  return {
    title: "key links",
    steps: cast.steps([
      ["vrf key link", "linker", vrfLink("vrf", "link")],
      ["voting key link", "linker", votingLink(1, 100)],
      ["node key link", "linker", nodeLink("node", "link")],
      ["account key link", "linker", accountLink("remote", "link")],
      ["vrf key link twice", "linker", vrfLink("another vrf", "link"), "Failure_Core_Link_Already_Exists"],
    ]),
  };
}

function unlinks(cast: Cast): ScenarioStage {
  return {
    title: "key unlinks",
    steps: cast.steps([
      ["vrf key unlink", "linker", vrfLink("vrf", "unlink")],
      ["voting key unlink", "linker", { ...votingLink(1, 100), linkAction: "unlink" }],
      ["node key unlink", "linker", nodeLink("node", "unlink")],
      ["account key unlink", "linker", accountLink("remote", "unlink")],
    ]),
  };
}

function multisigs(cast: Cast): ScenarioStage {
  return {
    title: "multisig accounts",
    steps: cast.steps([
      cast.together("agg multisig create 2of3", [["vault", multisigChange(["carol", "dave", "erin"], [], 2, 2)]], {
        cosigners: ["carol", "dave", "erin"],
      }),
      cast.together("agg multisig level2", [["treasury", multisigChange(["vault", "buyer"], [], 2, 1)]], {
        cosigners: ["carol", "dave", "buyer"],
      }),
      cast.together("agg multisig transfer", [["vault", cast.transfer("buyer")]], {
        signer: "carol",
        cosigners: ["dave"],
      }),
      cast.together("agg multisig level2 transfer", [["treasury", cast.transfer("buyer")]], {
        signer: "buyer",
        cosigners: ["dave", "erin"],
      }),
      [
        "transfer signed by multisig",
        "vault",
        cast.transfer("buyer"),
        "Failure_Multisig_Operation_Prohibited_By_Account",
      ],
      cast.together(
        "agg multisig transfer too few",
        [["vault", cast.transfer("buyer")]],
        { signer: "carol" },
        "Failure_Aggregate_Missing_Cosignatures",
      ),
      cast.together("agg multisig remove cosigner", [["vault", multisigChange([], ["erin"], 0, 0)]], {
        signer: "carol",
        cosigners: ["dave"],
      }),
    ]),
  };
}

function restrictions(cast: Cast): ScenarioStage {
  // the keys to change it again must be linked first
  const transfersOnly = ["account_operation_restriction", "transfer"];
  return {
    title: "account restrictions",
    steps: cast.steps([
      ["acct address restr", "hermit", addressRestriction(["address", "block"], ["dave"])],
      ["acct address restr outgoing", "hermit", addressRestriction(["address", "outgoing", "block"], ["erin"])],
      ["acct mosaic restr", "hermit", mosaicListing(["mosaic_id", "block"], [MOSAICS.fixed])],
      [
        "acct operation restr",
        "hermit",
        operationRestriction(["transaction_type", "outgoing", "block"], ["mosaic_definition"]),
      ],
      ["acct address restr allow", "recluse", addressRestriction(["address"], ["buyer", "issuer"])],
      ["acct address restr remove", "recluse", addressRestriction(["address"], [], ["issuer"])],
      ["acct mosaic restr allow", "recluse", mosaicListing(["mosaic_id"], [cast.currency])],
      ["acct operation restr allow", "recluse", operationRestriction(["transaction_type", "outgoing"], transfersOnly)],
      [
        "acct restr duplicate",
        "issuer",
        addressRestriction(["address", "block"], ["dave", "dave"]),
        "Failure_RestrictionAccount_Redundant_Modification",
      ],
    ]),
  };
}

function restrictionsAtWork(cast: Cast): ScenarioStage {
  return {
    title: "account restrictions at work",
    steps: cast.steps([
      ["transfer to restricted ok", "buyer", cast.transfer("hermit")],
      ["transfer to allowed", "buyer", cast.transfer("recluse")],
      [
        "transfer to restricted",
        "dave",
        cast.transfer("hermit"),
        "Failure_RestrictionAccount_Address_Interaction_Prohibited",
      ],
      [
        "transfer blocked outgoing",
        "hermit",
        cast.transfer("erin"),
        "Failure_RestrictionAccount_Address_Interaction_Prohibited",
      ],
      [
        "transfer blocked mosaic",
        "issuer",
        cast.transfer("hermit", [[MOSAICS.fixed, 1n]]),
        "Failure_RestrictionAccount_Mosaic_Transfer_Prohibited",
      ],
      [
        "op restricted",
        "hermit",
        mosaicDefinition("hermit", 1),
        "Failure_RestrictionAccount_Operation_Type_Prohibited",
      ],
    ]),
  };
}
