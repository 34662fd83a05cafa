/** Arguments of the ticket tools and of the service below them: what is taken, and the check of what came. Whether it may be done, the store says. */
import { utf8Length } from "@yoi/base";
import {
  isTicketId,
  reasonBytesMax,
  type ReviewStatus,
  reviewStatuses,
  type TicketState,
  ticketStates,
  titleCharsMax,
} from "@yoi/tickets";
import { objectOf, ToolArguments } from "../tool-arguments.ts";
import { isEventId } from "./followed-tickets.ts";
import { cursorOf, type NewsCursor } from "./news-cursor.ts";
import { listedTicketsMax, toolBodyBytesMax } from "./ticket-service.ts";

/** Labels of a ticket that is made. */
export const labelsMax = 32;
/** Characters of a label, or of a priority. */
export const labelCharsMax = 64;

const saidKinds = ["comment", "plan", "decision", "implementation_report"] as const;
type SaidKind = (typeof saidKinds)[number];
const entryKinds = [...saidKinds, "review"] as const;

const ticket = {
  type: "string",
  description: "The id of the ticket, 13 characters, as TicketList shows it.",
};
const markdown = (what: string) => ({ type: "string", description: `Markdown. ${what}` });
const status = { type: "string", enum: [...reviewStatuses], description: "Your verdict." };

export const createSchema = objectOf(
  {
    title: { type: "string", maxLength: titleCharsMax, description: "One line." },
    body: markdown("What is to be done, why, and how one sees that it is."),
    labels: {
      type: ["array", "null"],
      maxItems: labelsMax,
      items: { type: "string", maxLength: labelCharsMax },
      description: "Words to find it by.",
    },
    priority: { type: ["string", "null"], maxLength: labelCharsMax, description: "As the project says it." },
  },
  ["title", "body"],
);
export const commentSchema = objectOf(
  {
    ticket,
    kind: {
      type: "string",
      enum: [...saidKinds],
      description:
        "comment: anything. plan: how it is to be done. decision: what was decided, and why. implementation_report: what was done, where it lies, and what was tested.",
    },
    body: markdown("For readers who know the ticket and not this conversation."),
  },
  ["ticket", "kind", "body"],
);
export const reviewSchema = objectOf(
  {
    ticket,
    status,
    body: markdown("What you looked at and found; for request_changes, each thing to be changed."),
  },
  ["ticket", "status", "body"],
);
export const transitionSchema = objectOf(
  {
    ticket,
    to: { type: "string", enum: [...ticketStates], description: "The state to bring it to." },
    reason: { type: ["string", "null"], description: "One line. Needed to go back." },
    resolution: {
      type: ["string", "null"],
      description: "Markdown. Needed for closed, and only for that: what came of the ticket.",
    },
  },
  ["ticket", "to"],
);
export const listSchema = objectOf(
  {
    states: {
      type: ["array", "null"],
      items: { type: "string", enum: [...ticketStates] },
      description: "Left out: all but closed.",
    },
    limit: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: listedTicketsMax,
      description: "The oldest first.",
    },
  },
  [],
);
const after = {
  type: ["string", "null"],
  description:
    "The id of an event: shows those behind it. start: from the first one. Left out: the last ones.",
};
export const showSchema = objectOf(
  {
    ticket,
    events_after: after,
    follow: {
      type: ["boolean", "null"],
      description:
        "true: you are told of what happens in it from now on. false: no more. Left out: as it was.",
    },
  },
  ["ticket"],
);

/** Of the service, where it takes something else than a tool. */
export const addSchema = objectOf(
  { ticket, kind: { type: "string", enum: [...entryKinds] }, status, body: markdown("") },
  ["ticket", "kind", "body"],
);
export const moveSchema = objectOf({ ticket, to: { type: "string" }, reason: { type: "string" } }, [
  "ticket",
  "to",
]);
export const closeSchema = objectOf({ ticket, resolution: markdown("") }, ["ticket", "resolution"]);
export const lookSchema = objectOf({ ticket, events_after: after }, ["ticket"]);
export const newsSchema = objectOf(
  {
    cursor: { type: ["object", "null"] },
    all: { type: "boolean" },
  },
  ["cursor", "all"],
);

/** The arguments of one call. Every method throws `usage` with a sentence that names the field. */
export class TicketArguments extends ToolArguments {
  ticket(): string {
    const id = this.text("ticket");
    if (isTicketId(id)) return id;
    return this.refuse("ticket", "must be the id of a ticket, 13 characters, as TicketList shows it");
  }

  title(): string {
    const title = this.text("title");
    if (title.trim() === "") this.refuse("title", "is empty: say in one line what the ticket is about");
    if (/[\r\n]/.test(title)) this.refuse("title", "has more than one line: put the rest into the body");
    if ([...title].length <= titleCharsMax) return title;
    return this.refuse("title", `has more than ${titleCharsMax} characters: put the rest into the body`);
  }

  /** Bounded and not empty. */
  body(field: "body" | "resolution" = "body"): string {
    const body = this.text(field);
    if (body.trim() === "") this.refuse(field, "is empty: say it for those who read the ticket later");
    const bytes = utf8Length(body);
    if (bytes <= toolBodyBytesMax) return body;
    return this.refuse(
      field,
      `is ${bytes} bytes: at most ${toolBodyBytesMax} are taken at a time, so say the rest in another comment`,
    );
  }

  /** Of a ticket that is made: what it says besides is absent. */
  fields(): Readonly<Record<string, string | readonly string[]>> {
    const labels = this.isGiven("labels") ? this.#labels() : [];
    const priority = this.isGiven("priority") ? this.#label("priority", this.value("priority")) : null;
    return { ...(labels.length === 0 ? {} : { labels }), ...(priority === null ? {} : { priority }) };
  }

  kind(): SaidKind {
    return this.#oneOf("kind", saidKinds);
  }

  entryKind(): SaidKind | "review" {
    return this.#oneOf("kind", entryKinds);
  }

  status(): ReviewStatus {
    return this.#oneOf("status", reviewStatuses);
  }

  refuseStatus(): void {
    if (this.isGiven("status")) this.refuse("status", "belongs to a review, and to nothing else");
  }

  to(): TicketState {
    return this.#oneOf("to", ticketStates);
  }

  reason(): string | null {
    if (!this.isGiven("reason")) return null;
    const reason = this.text("reason");
    if (reason.trim() === "") return null;
    if (/[\r\n]/.test(reason)) this.refuse("reason", "has more than one line");
    const bytes = utf8Length(reason);
    if (bytes <= reasonBytesMax) return reason;
    return this.refuse(
      "reason",
      `is ${bytes} bytes, and the most is ${reasonBytesMax}: say the rest in a comment`,
    );
  }

  /** Of a change of state: given exactly for closed. */
  resolution(to: TicketState): string | null {
    if (to === "closed") return this.body("resolution");
    if (this.isGiven("resolution"))
      this.refuse("resolution", "is only for a ticket that is brought to closed");
    return null;
  }

  states(): readonly TicketState[] | null {
    if (!this.isGiven("states")) return null;
    const states = this.value("states");
    const known = Array.isArray(states)
      ? states.map((state) => ticketStates.find((one) => one === state))
      : [undefined];
    const whole = known.filter((state) => state !== undefined);
    if (whole.length === known.length && whole.length > 0) return [...new Set(whole)];
    return this.refuse("states", `must be a list of some of ${ticketStates.join(", ")}`);
  }

  limit(): number {
    return this.isGiven("limit") ? this.#count("limit", 1, listedTicketsMax) : listedTicketsMax;
  }

  eventsAfter(): string | null {
    if (!this.isGiven("events_after")) return null;
    const id = this.text("events_after");
    if (id === "start" || isEventId(id)) return id;
    return this.refuse("events_after", "must be the id of an event as TicketShow shows it, or start");
  }

  follow(): boolean | null {
    return this.isGiven("follow") ? this.#flag("follow") : null;
  }

  cursor(): NewsCursor | null {
    const value = this.value("cursor");
    if (value === null) return null;
    return cursorOf(value) ?? this.refuse("cursor", "is not one that this service gave");
  }

  all(): boolean {
    return this.#flag("all");
  }

  #labels(): readonly string[] {
    const labels = this.value("labels");
    if (!Array.isArray(labels)) return this.refuse("labels", "must be a list of words");
    if (labels.length > labelsMax) return this.refuse("labels", `has more than ${labelsMax} entries`);
    return labels.map((label) => this.#label("labels", label));
  }

  #label(field: string, value: unknown): string {
    const isWord = typeof value === "string" && value.trim() !== "" && !/\p{Cc}/u.test(value);
    if (isWord && value.length <= labelCharsMax) return value.toWellFormed().trim();
    return this.refuse(field, `must be words of 1 to ${labelCharsMax} characters on one line`);
  }

  #oneOf<T extends string>(field: string, values: readonly T[]): T {
    const given = this.text(field);
    return values.find((one) => one === given) ?? this.refuse(field, `must be one of ${values.join(", ")}`);
  }

  #flag(field: string): boolean {
    const value = this.value(field);
    return typeof value === "boolean" ? value : this.refuse(field, "must be true or false");
  }

  #count(field: string, min: number, max: number): number {
    const value = this.value(field);
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    return this.refuse(field, `must be a whole number from ${min} to ${max}`);
  }
}
