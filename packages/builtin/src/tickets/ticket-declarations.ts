/** What the model is told of the six ticket tools: the same in every role, because what is refused says what the role may do. */
import type { JsonObject } from "@yoi/base";
import type { ToolDeclaration } from "@yoi/feature";
import {
  commentSchema,
  createSchema,
  listSchema,
  reviewSchema,
  showSchema,
  transitionSchema,
} from "./ticket-arguments.ts";

const ticketToolNames = [
  "TicketCreate",
  "TicketComment",
  "TicketReview",
  "TicketTransition",
  "TicketList",
  "TicketShow",
] as const;
export type TicketToolName = (typeof ticketToolNames)[number];

interface TicketToolDeclaration extends ToolDeclaration {
  readonly name: TicketToolName;
}

interface Told {
  readonly description: string;
  readonly schema: JsonObject;
  readonly readOnly: boolean;
}

const told: Readonly<Record<TicketToolName, Told>> = {
  TicketCreate: {
    description:
      "Makes a ticket: a piece of the project's work on record, for people and for other Pods. It begins in planning, and you follow it: you are told what " +
      "others do with it. Say in the body what is to be done and why, what is not part of it, and how one sees that it is done. One ticket is one piece of work that can be reviewed by itself.\n\n" +
      "The states: planning (what is to be done is still worked out), ready (whoever reads it can begin), queued (a person decided that it is to be done), inprogress, done (reviewed " +
      "and whole), closed. Only a person brings a ticket to queued: where it is ready, say so to the user and wait.",
    schema: createSchema,
    readOnly: false,
  },
  TicketComment: {
    description:
      "Writes into the thread of a ticket. Nothing of it can be changed or taken back. Whoever reads it knows the ticket and not your conversation: name files, branches and commits, and " +
      "say what was tested and what was not. You follow the ticket from then on. An implementation_report asks for a review.",
    schema: commentSchema,
    readOnly: false,
  },
  TicketReview: {
    description:
      "Gives the review of what the last implementation report says is done. Look at the change itself and run its tests before you approve. Nobody reviews their own report.",
    schema: reviewSchema,
    readOnly: false,
  },
  TicketTransition: {
    description:
      "Brings a ticket to another state. What is legal depends on where it is, on your role and on other tickets; what is refused says why, what is legal from there and for whom, and changes " +
      "nothing. To queued only a person brings a ticket. To done it comes when something is reported since its work was last begun, and the review behind the last report approves. Going back needs a reason; closed needs a resolution.",
    schema: transitionSchema,
    readOnly: false,
  },
  TicketList: {
    description: "Lists tickets: id, state, title, what blocks each, and the verdict of its last review.",
    schema: listSchema,
    readOnly: true,
  },
  TicketShow: {
    description:
      "Shows a ticket: its body, relations and thread, the last events first to have room. What has no room lies in the files .yoi/tickets/<id>/item.md and thread.md, which you can " +
      "read and not write. Use it before you do something about a ticket, and not to wait for one: with follow you are told.",
    schema: showSchema,
    readOnly: true,
  },
};

/** In the order in which they are registered. */
export const ticketToolDeclarations: readonly TicketToolDeclaration[] = ticketToolNames.map((name) => {
  const { description, schema, readOnly } = told[name];
  return { name, description, input_schema: schema, read_only: readOnly, required: true };
});
