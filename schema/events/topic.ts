import { type ChannelName, channels, isChannelName } from "../../catapult/structs/message.js";
import type { Db } from "../../database/database.js";
import type { EventTopic } from "../../database/queries/events.js";
import { invalidArgument } from "../errors/errors.js";
import { listenedAddress } from "./listened-address.js";

export type { EventTopic };

/** A topic of `/ws` without events: its messages only show that the connection works. */
export const HEARTBEAT = "heartbeat";

/** A subscription target as a client names it: `channel` or `channel/address`. */
export interface Topic {
  readonly channel: ChannelName;
  /** Checked by {@link toEventTopic}. */
  readonly address?: string | undefined;
}

/** @throws ApiError that says what is wrong with the text */
export function parseTopic(text: string): Topic {
  const slash = text.indexOf("/");
  const channel = slash < 0 ? text : text.slice(0, slash);
  if (channel === HEARTBEAT) throw invalidArgument("heartbeat is a topic of /ws alone, and takes no address");
  if (!isChannelName(channel)) {
    const known = Object.keys(channels).join(", ");
    throw invalidArgument(`there is no channel ${quote(channel)}; the channels are ${known}, and on /ws heartbeat`);
  }
  if (slash < 0) return { channel };
  if (!channels[channel].addressed) {
    throw invalidArgument(`the channel ${channel} takes no address: subscribe to ${quote(channel)}`);
  }
  const address = text.slice(slash + 1);
  if (address === "") {
    const hint = `write ${channel}/<address>, or ${channel} for all addresses`;
    throw invalidArgument(`the address is missing in ${quote(text)}: ${hint}`);
  }
  return { channel, address };
}

/** @throws ApiError for an invalid address, and while the network is unknown, see {@link listenedAddress} */
export async function toEventTopic(db: Db, { channel, address }: Topic): Promise<EventTopic> {
  return address === undefined ? { channel } : { channel, address: await listenedAddress(db, address) };
}

const QUOTED_LENGTH = 64;

function quote(text: string): string {
  return JSON.stringify(text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}…` : text);
}
