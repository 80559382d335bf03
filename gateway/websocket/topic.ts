import { type ChannelName, channels, isChannelName } from "../../schema/channels.js";
import { invalidArgument } from "../../schema/errors.js";

/** What a client can subscribe to. */
export interface Topic {
  /** As the client wrote it; messages carry it back. */
  readonly text: string;
  readonly channel: ChannelName;
  /** As the client wrote it: the schema knows what an address is. */
  readonly address?: string | undefined;
}

/**
 * Reads `channel` or `channel/address`.
 * @throws ApiError that says what is wrong with it
 */
export function parseTopic(text: string): Topic {
  const slash = text.indexOf("/");
  const channel = slash < 0 ? text : text.slice(0, slash);
  if (!isChannelName(channel)) {
    const known = Object.keys(channels).join(", ");
    throw invalidArgument(`there is no channel ${quote(channel)}; there are ${known}`);
  }
  if (slash < 0) return { text, channel };
  if (!channels[channel].addressed) {
    throw invalidArgument(`the channel ${channel} takes no address: subscribe to ${quote(channel)}`);
  }
  const address = text.slice(slash + 1);
  if (address === "") {
    const hint = `write ${channel}/<address>, or ${channel} for all addresses`;
    throw invalidArgument(`the address is missing in ${quote(text)}: ${hint}`);
  }
  return { text, channel, address };
}

const QUOTED_LENGTH = 64;

function quote(text: string): string {
  return JSON.stringify(text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}…` : text);
}
