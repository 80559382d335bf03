import type { Holder as HoldingAccount } from "../../database/balances/account-balances.js";
import { accountOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { members } from "../graph/members.js";
import { pageType } from "../graph/page.js";
import { Account } from "../graph/types.js";

/** Decimal places of a share. */
const SHARE_DIGITS = 18;
const WHOLE = 10n ** BigInt(SHARE_DIGITS);

/** The part of the supply as a decimal fraction, rounded down; undefined while the supply is unknown. */
function connectionShare({ amount, supply }: HoldingAccount): string | undefined {
  if (!supply) return undefined;
  const share = (amount * WHOLE) / supply;
  return `${share / WHOLE}.${String(share % WHOLE).padStart(SHARE_DIGITS, "0")}`;
}

const Holder = builder.objectRef<HoldingAccount>("Holder").implement({
  description: "An account that owns some of a mosaic.",
  fields: (t) => ({
    account: t.field({ description: "The account.", type: Account, resolve: (holder) => holder }),
    address: t.field({
      description: "Address of the account.",
      type: "Address",
      resolve: (holder) => accountOf(holder).address,
    }),
    ...members(t, {
      amount: ["UInt64", "Its balance of the mosaic, in atomic units; never 0."],
      supply: [
        "UInt64?",
        "Supply of the mosaic at the same moment, in atomic units; null while the mosaic's state is unknown.",
      ],
    }),
    share: t.string({
      nullable: true,
      description:
        `amount / supply as a decimal fraction with ${SHARE_DIGITS} places, rounded down, such as 0.250000000000000000; ` +
        "amount and supply are the exact ratio.",
      resolve: connectionShare,
    }),
  }),
});

export const HolderPage = pageType("HolderPage", Holder);
