/** Limits of the protocol, each tested at n and n + 1. */

/** Bytes of a line without its LF, either way. */
export const frameBytesMax = 16 * 1024 * 1024;
/** Bytes of the first line: nobody is known yet. */
export const helloBytesMax = 16 * 1024;
/** Time for the first line. */
export const helloMs = 5_000;
/** Bytes of the lines that all clients of a Pod have begun and not ended. */
export const halfLinesBytesMax = 2 * frameBytesMax;
/** Requests of all clients that are being carried out. */
export const requestsMax = 32;
/** Requests of one connection whose answers it has not taken: no more of it is read until it has. */
export const clientRequestsMax = 8;
/** Lines that wait for one client. */
export const clientEventsMax = 4_096;
/** And their bytes; a line alone may be larger. */
export const clientBytesMax = 8 * 1024 * 1024;
/** Time for a client to take more of what waits for it. */
export const untakenMs = 30_000;
/** Records over 256 KiB that clients which catch up are being given; those who are given the same one share it. */
export const largeRecordsMax = 4;
/** Connections of one Pod, those without a hello included. */
export const connectionsMax = 256;
/** Characters of a request's id, and of a submission's. */
export const idCharsMax = 128;
/** Time for a client to take its last lines when it is dropped or the Pod closes. */
export const lastLinesMs = 2_000;
/** UTF-16 units of a block or of a call's output that a snapshot holds. */
export const inFlightCharsMax = 256 * 1024;
/** Values of one line of a client: memory and time for JSON go with their number, not with the bytes of its texts. */
export const requestValuesMax = 65_536;
/** Characters of a client's name for people. */
export const clientNameCharsMax = 64;
/** UTF-16 units of the reason of a denial. */
export const approvalReasonCharsMax = 512;
/** Characters of a Pod's name. */
export const podNameCharsMax = 64;
/** Characters that a ping brings back. */
export const pingCharsMax = 1_024;
/** Bytes of a command that the user runs. */
export const commandBytesMax = 16 * 1024;
/** Characters of a Pod's title. */
export const titleCharsMax = 120;
/** Paths in one list of completions. */
export const completionsMax = 200;
/** Inputs that wait for their time. */
export const queueMax = 32;
/** Characters of a path that an input refers to. */
export const pathCharsMax = 4_096;
/** Skills that a view names. */
export const skillsOfferedMax = 256;
/** Characters of what a view says of a skill. */
export const skillOfferCharsMax = 200;
/** Characters of the id of an entry. */
export const entryIdCharsMax = 32;
/** Places that a client is offered at most to go back to. */
export const rewindTargetsMax = 10_000;
