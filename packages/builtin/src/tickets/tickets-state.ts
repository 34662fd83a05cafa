/** The state of the ticket tools: which tickets are followed, rebuilt from what calls really did. */
import { isJsonObject, type Panel, type PanelMark, panelRowsMax, utf8Length, YoiError } from "@yoi/base";
import {
  describedBytesMax,
  type FeatureState,
  type StateDeclaration,
  type StateSnapshot,
} from "@yoi/feature";
import type { TicketState } from "@yoi/tickets";
import {
  changeOf,
  type FollowedTicket,
  type FollowedTickets,
  followedJson,
  followedMax,
  followedOf,
} from "./followed-tickets.ts";

export const ticketsStateDeclaration: StateDeclaration = Object.freeze({ domain: "yoi.tickets", version: 1 });

export function ticketsState(followed: FollowedTickets): FeatureState {
  return {
    restore: (records, snapshot) => {
      const changes = records.flatMap(({ isError, record }) => (isError ? [] : (changeOf(record) ?? [])));
      followed.replace(followingOf(snapshot), changes);
    },
    snapshot: () => ({ tickets: followed.list().map(followedJson), own: [...followed.own()] }),
    describe: () => describeFollowed(followed.list()),
    panel: () => followedPanel(followed.list()),
  };
}

/** Throws schema_newer, or log_damaged for what no version of this feature wrote. */
function followingOf(snapshot: StateSnapshot | null): Parameters<FollowedTickets["replace"]>[0] {
  if (snapshot === null) return { tickets: [], own: [] };
  const { version, value } = snapshot;
  if (version > ticketsStateDeclaration.version) {
    throw new YoiError(
      "schema_newer",
      `The tickets that this session follows were written in format ${version}, and this yoi reads ${ticketsStateDeclaration.version}: use the newer yoi that wrote them.`,
    );
  }
  const { tickets, own = [] } = isJsonObject(value) ? value : {};
  const read = Array.isArray(tickets) ? tickets.map(followedOf) : [null];
  const whole = read.filter((ticket) => ticket !== null);
  if (
    version === ticketsStateDeclaration.version &&
    whole.length === read.length &&
    read.length <= followedMax &&
    Array.isArray(own)
  )
    return { tickets: whole, own: own.filter((event) => typeof event === "string") };
  throw new YoiError(
    "log_damaged",
    "The snapshot of the tickets that this session follows is not one that a yoi wrote.",
  );
}

/** For a model that no longer sees the calls: what is open first, the last one first, as many as have room. */
function describeFollowed(tickets: readonly FollowedTicket[]): string | null {
  if (tickets.length === 0) return null;
  const shown = openFirst(tickets);
  const lines = ["Tickets that you follow, as you heard of them last (TicketShow says what they are now):"];
  let room = describedBytesMax - utf8Length(lines[0] ?? "") - 40;
  for (const { ticket, title, state, last } of shown) {
    const line = `- ${ticket} (${state}, last event ${last}): ${title}`;
    room -= utf8Length(line) + 1;
    if (room < 0) break;
    lines.push(line);
  }
  const left = shown.length + 1 - lines.length;
  return [...lines, ...(left === 0 ? [] : [`(and ${left} more)`])].join("\n");
}

const marks: Readonly<Record<TicketState, PanelMark>> = {
  planning: "note",
  ready: "todo",
  queued: "todo",
  inprogress: "doing",
  done: "done",
  closed: "dropped",
};

function followedPanel(tickets: readonly FollowedTicket[]): Omit<Panel, "feature"> | null {
  if (tickets.length === 0) return null;
  const shown = openFirst(tickets);
  const listed = shown.length <= panelRowsMax ? shown : shown.slice(0, panelRowsMax - 1);
  const rows = listed.map(({ ticket, title, state }) => ({
    mark: marks[state],
    text: `${ticket} ${state} ${title}`,
  }));
  const left = shown.length - listed.length;
  return {
    title: `Tickets ${tickets.length} followed`,
    rows: left === 0 ? rows : [...rows, { mark: "note", text: `${left} more: TicketList has all` }],
  };
}

function openFirst(tickets: readonly FollowedTicket[]): readonly FollowedTicket[] {
  const isOver = ({ state }: FollowedTicket) => Number(state === "closed" || state === "done");
  return tickets.toReversed().toSorted((a, b) => isOver(a) - isOver(b));
}
