/** The service of tickets: what it is called, its methods, and how much of each crosses at a time. */
import { deepFreeze } from "@yoi/base";
import { type ServiceDeclaration, serviceId } from "@yoi/feature";

export const ticketServiceId = serviceId("builtin:tickets");

export const ticketMethods = ["create", "add", "transition", "close", "list", "show", "news"] as const;
export type TicketMethod = (typeof ticketMethods)[number];

export const ticketServiceDeclaration: ServiceDeclaration & { readonly required: true } = deepFreeze({
  id: ticketServiceId,
  version: "1.0.0",
  description: "The tickets of the workspace, read and written as the Pod and in its role.",
  methods: ticketMethods,
  carries_authority: true,
  required: true,
});

/** UTF-8 bytes of a body that a tool gives. */
export const toolBodyBytesMax = 32 * 1024;
/** Tickets of one list. */
export const listedTicketsMax = 100;
/** UTF-8 bytes, as JSON, of what one list or one look at a ticket gives; the host's limit of an answer has room for it. */
export const shownBytesMax = 40 * 1024;
/** UTF-8 bytes of one body of what a look gives; the file has all of it. */
export const shownBodyBytesMax = 12 * 1024;
/** UTF-8 bytes of one field of what a look or a list gives: titles, reasons, values of the front matter. */
export const shownFieldBytesMax = 1024;
/** Artifacts and relations that a look names. */
export const shownNamesMax = 32;
/** UTF-8 bytes of the path of an artifact. */
export const shownNameBytesMax = 128;
/** Folders that a list names as damaged. */
export const shownProblemsMax = 8;
/** Events that are asked of the store at a time. */
export const newsEventsMax = 64;
/** UTF-8 bytes, as JSON, of the events of one answer with news. */
export const newsBytesMax = 20 * 1024;
/** UTF-8 bytes of the body of one of them. */
export const newsBodyBytesMax = 1024;
