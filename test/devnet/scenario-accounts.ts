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
    steps: [
      cast.step("vrf key link", "linker", vrfLink("vrf", "link")),
      cast.step("voting key link", "linker", votingLink(1, 100)),
      cast.step("node key link", "linker", nodeLink("node", "link")),
      cast.step("account key link", "linker", accountLink("remote", "link")),
      cast.rejected("vrf key link twice", "Failure_Core_Link_Already_Exists", "linker", vrfLink("another vrf", "link")),
    ],
  };
}

function unlinks(cast: Cast): ScenarioStage {
  return {
    title: "key unlinks",
    steps: [
      cast.step("vrf key unlink", "linker", vrfLink("vrf", "unlink")),
      cast.step("voting key unlink", "linker", { ...votingLink(1, 100), linkAction: "unlink" }),
      cast.step("node key unlink", "linker", nodeLink("node", "unlink")),
      cast.step("account key unlink", "linker", accountLink("remote", "unlink")),
    ],
  };
}

function multisigs(cast: Cast): ScenarioStage {
  return {
    title: "multisig accounts",
    steps: [
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
      cast.rejected(
        "transfer signed by multisig",
        "Failure_Multisig_Operation_Prohibited_By_Account",
        "vault",
        cast.transfer("buyer"),
      ),
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
    ],
  };
}

function restrictions(cast: Cast): ScenarioStage {
  // the keys to change it again must be linked first
  const transfersOnly = ["account_operation_restriction", "transfer"];
  return {
    title: "account restrictions",
    steps: [
      cast.step("acct address restr", "hermit", addressRestriction(["address", "block"], ["dave"])),
      cast.step(
        "acct address restr outgoing",
        "hermit",
        addressRestriction(["address", "outgoing", "block"], ["erin"]),
      ),
      cast.step("acct mosaic restr", "hermit", mosaicListing(["mosaic_id", "block"], [MOSAICS.fixed])),
      cast.step(
        "acct operation restr",
        "hermit",
        operationRestriction(["transaction_type", "outgoing", "block"], ["mosaic_definition"]),
      ),
      cast.step("acct address restr allow", "recluse", addressRestriction(["address"], ["buyer", "issuer"])),
      cast.step("acct address restr remove", "recluse", addressRestriction(["address"], [], ["issuer"])),
      cast.step("acct mosaic restr allow", "recluse", mosaicListing(["mosaic_id"], [cast.currency])),
      cast.step(
        "acct operation restr allow",
        "recluse",
        operationRestriction(["transaction_type", "outgoing"], transfersOnly),
      ),
      cast.rejected(
        "acct restr duplicate",
        "Failure_RestrictionAccount_Redundant_Modification",
        "issuer",
        addressRestriction(["address", "block"], ["dave", "dave"]),
      ),
    ],
  };
}

function restrictionsAtWork(cast: Cast): ScenarioStage {
  return {
    title: "account restrictions at work",
    steps: [
      cast.step("transfer to restricted ok", "buyer", cast.transfer("hermit")),
      cast.step("transfer to allowed", "buyer", cast.transfer("recluse")),
      cast.rejected(
        "transfer to restricted",
        "Failure_RestrictionAccount_Address_Interaction_Prohibited",
        "dave",
        cast.transfer("hermit"),
      ),
      cast.rejected(
        "transfer blocked outgoing",
        "Failure_RestrictionAccount_Address_Interaction_Prohibited",
        "hermit",
        cast.transfer("erin"),
      ),
      cast.rejected(
        "transfer blocked mosaic",
        "Failure_RestrictionAccount_Mosaic_Transfer_Prohibited",
        "issuer",
        cast.transfer("hermit", [[MOSAICS.fixed, 1n]]),
      ),
      cast.rejected(
        "op restricted",
        "Failure_RestrictionAccount_Operation_Type_Prohibited",
        "hermit",
        mosaicDefinition("hermit", 1),
      ),
    ],
  };
}
