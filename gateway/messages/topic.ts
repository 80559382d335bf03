import { ADDRESS_SIZE, encodeAddress } from "../../catapult/entity/address.js";
import { type ChannelName, channels, isChannelName } from "../../schema/events/channels.js";
import { formatId, parseHex, parseId } from "../../schema/graph/formats.js";
import { invalidArgument } from "../../schema/services/errors.js";

/** A subscription target. */
export interface Topic {
  /** As the client spelled it; messages repeat it. */
  readonly text: string;
  /** The same for every spelling of the topic. */
  readonly key: string;
  readonly channel: ChannelName;
  /** In its canonical spelling, if it has several: the schema decides whether it is an address. */
  readonly address?: string | undefined;
}

/**
 * Parses `channel` or `channel/address`.
 * @throws ApiError that says what is wrong with it
 */
export function parseTopic(text: string): Topic {
  const slash = text.indexOf("/");
  const channel = slash < 0 ? text : text.slice(0, slash);
  if (!isChannelName(channel)) {
    const known = Object.keys(channels).join(", ");
    throw invalidArgument(`there is no channel ${quote(channel)}; the channels are ${known}`);
  }
  if (slash < 0) return { text, key: channel, channel };
  if (!channels[channel].addressed) {
    throw invalidArgument(`the channel ${channel} takes no address: subscribe to ${quote(channel)}`);
  }
  const given = text.slice(slash + 1);
  if (given === "") {
    const hint = `write ${channel}/<address>, or ${channel} for all addresses`;
    throw invalidArgument(`the address is missing in ${quote(text)}: ${hint}`);
  }
  const address = canonicalAddress(given);
  return { text, key: `${channel}/${address}`, channel, address };
}

/** Base32 for hex digits, upper case for a namespace id; other text unchanged. */
function canonicalAddress(text: string): string {
  const bytes = parseHex(text, ADDRESS_SIZE);
  if (bytes) return encodeAddress(bytes);
  const namespaceId = parseId(text);
  return namespaceId === undefined ? text : formatId(namespaceId);
}

const QUOTED_LENGTH = 64;

function quote(text: string): string {
  return JSON.stringify(text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}…` : text);
}
