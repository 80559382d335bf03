import { Hash256, PrivateKey } from "symbol-sdk";
import { Address, descriptors, models, Network, SymbolFacade } from "symbol-sdk/symbol";
import type { Devnet, DevnetAccount } from "../../devnet/devnet.js";

/** Deadlines are this far ahead, as wallets set them. */
const DEADLINE_SECONDS = 2 * 60 * 60;
/** Offered per byte, in atomic units of the currency. */
const FEE_PER_BYTE = 100;

/** A facade of symbol-sdk 3 for the devnet's network. */
export function devnetFacade(devnet: Devnet): SymbolFacade {
  return new SymbolFacade(
    new Network(
      "devnet",
      devnet.network.identifier,
      new Date(devnet.rules.epochAdjustment * 1_000),
      new Hash256(new Uint8Array(devnet.generationHashSeed)),
    ),
  );
}

/** A signed transfer of `amount` atomic units of the currency to `to` (24 bytes), as bytes. */
export function transferPayload(
  devnet: Devnet,
  from: DevnetAccount,
  to: Buffer,
  amount: bigint,
  message?: string,
): Buffer {
  const facade = devnetFacade(devnet);
  const account = facade.createAccount(new PrivateKey(new Uint8Array(from.privateKey)));
  const mosaic = new descriptors.UnresolvedMosaicDescriptor(
    new models.UnresolvedMosaicId(devnet.currencyMosaicId),
    new models.Amount(amount),
  );
  const text = message === undefined ? undefined : new Uint8Array(Buffer.from(`\0${message}`));
  const transfer = new descriptors.TransferTransactionV1Descriptor(new Address(new Uint8Array(to)), [mosaic], text);
  const transaction = facade.createTransactionFromTypedDescriptor(
    transfer,
    account.publicKey,
    FEE_PER_BYTE,
    DEADLINE_SECONDS,
  );
  return signed(account, transaction);
}

/** A signed aggregate of two transfers, from `from` to `to` and back, cosigned by `to`. */
export function aggregatePayload(devnet: Devnet, from: DevnetAccount, to: DevnetAccount, amount: bigint): Buffer {
  const facade = devnetFacade(devnet);
  const [first, second] = [from, to].map((one) => facade.createAccount(new PrivateKey(new Uint8Array(one.privateKey))));
  if (!first || !second) throw new Error("unreachable");
  const mosaic = () =>
    new descriptors.UnresolvedMosaicDescriptor(
      new models.UnresolvedMosaicId(devnet.currencyMosaicId),
      new models.Amount(amount),
    );
  const embedded = [
    facade.createEmbeddedTransactionFromTypedDescriptor(
      new descriptors.TransferTransactionV1Descriptor(
        second.address,
        [mosaic()],
        new Uint8Array(Buffer.from("\0there")),
      ),
      first.publicKey,
    ),
    facade.createEmbeddedTransactionFromTypedDescriptor(
      new descriptors.TransferTransactionV1Descriptor(first.address, [mosaic()], new Uint8Array(Buffer.from("\0back"))),
      second.publicKey,
    ),
  ];
  const hash = SymbolFacade.hashEmbeddedTransactions(embedded);
  const aggregate = facade.createTransactionFromTypedDescriptor(
    new descriptors.AggregateCompleteTransactionV3Descriptor(hash, embedded, []),
    first.publicKey,
    FEE_PER_BYTE,
    DEADLINE_SECONDS,
    1,
  ) as models.AggregateCompleteTransactionV3;
  signed(first, aggregate);
  aggregate.cosignatures.push(second.cosignTransaction(aggregate, false) as models.Cosignature);
  return Buffer.from(aggregate.serialize());
}

type Account = ReturnType<SymbolFacade["createAccount"]>;

function signed(account: Account, transaction: models.Transaction): Buffer {
  transaction.signature = new models.Signature(account.signTransaction(transaction).bytes);
  return Buffer.from(transaction.serialize());
}
