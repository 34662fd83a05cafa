/** SessionSearch and SessionRead: how the model finds again what compaction and pruning took out of its sight. Only of the Pod's own session, and never its reasoning. */
import { type JsonObject, type Tool, type ToolOutput, YoiError } from "@yoi/base";
import { sessionReadName, sessionSearchName } from "../policy/session-tools.ts";
import type { EntryStore } from "./find-entry.ts";
import type { SessionPlace } from "./own-session.ts";
import { type ReadResult, readSession } from "./read-session.ts";
import { type SearchResult, searchBytesMax, searchSession } from "./search-session.ts";
import { sessionArguments } from "./session-arguments.ts";

export const searchLimit = { min: 1, max: 50, otherwise: 20 } as const;
export const readCount = { min: 1, max: 80, otherwise: 20 } as const;
export const queryCharsMax = 1_000;

const id = { type: "string", description: 'An id as these tools show it: "57", "2-57".' } as const;
const searchSchema = {
  type: "object",
  properties: {
    query: { type: "string", description: "Words, in any case; an item must hold all of them." },
    limit: { type: "integer", minimum: searchLimit.min, maximum: searchLimit.max },
    before: { ...id, description: "Go on behind this id, as the answer before said." },
  },
  required: ["query"],
  additionalProperties: false,
} satisfies JsonObject;
const readSchema = {
  type: "object",
  properties: {
    from: id,
    count: { type: "integer", minimum: readCount.min, maximum: readCount.max },
    mode: {
      type: "string",
      enum: ["compact", "full"],
      description: "compact (default): the beginning of each item; full: all of it, page by page.",
    },
    offset: {
      type: "integer",
      minimum: 0,
      description: "Characters of the first item to leave out.",
    },
  },
  required: ["from"],
  additionalProperties: false,
} satisfies JsonObject;

/** @param place where the Pod is now; null: its session is not open yet. */
export function createSessionTools(store: EntryStore, place: () => SessionPlace | null): readonly Tool[] {
  const here = (): SessionPlace => {
    const found = place();
    if (found === null)
      throw new YoiError("cancelled", "The session is not open, so there is nothing to look back on.");
    return found;
  };
  return [
    {
      definition: {
        name: sessionSearchName,
        description:
          "Searches everything that was said and done in this session, also what is not shown any more because the history was shortened. Newest first, with ids for SessionRead.",
        input_schema: searchSchema,
      },
      readOnly: true,
      execute: async (args, { signal }) => {
        const given = sessionArguments(sessionSearchName, searchSchema, args);
        const query = given.text("query", queryCharsMax);
        const limit = given.integer("limit", searchLimit);
        const before = given.isGiven("before") ? given.text("before") : null;
        return found(
          query,
          await searchSession(store, here(), { query, limit, before, bytesMax: searchBytesMax, signal }),
        );
      },
    },
    {
      definition: {
        name: sessionReadName,
        description:
          "Shows items of this session again, from an id on, also those that are not shown any more.",
        input_schema: readSchema,
      },
      readOnly: true,
      execute: async (args, { signal }) => {
        const given = sessionArguments(sessionReadName, readSchema, args);
        const from = given.text("from");
        const count = given.integer("count", readCount);
        const mode = given.oneOf("mode", ["compact", "full"]);
        const offset = given.integer("offset", { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 });
        return read(from, await readSession(store, here(), { from, count, mode, offset, signal }));
      },
    },
  ];
}

function found(query: string, { hits, next, bytes, unreadable, isCut }: SearchResult): ToolOutput {
  const how = [
    hits.length === 0 ? "nothing found" : `${hits.length} found, newest first`,
    ...(next === null
      ? ["that is all there is"]
      : [
          `${bytes >= searchBytesMax ? "there is more to look through" : "there may be more"}: go on with before ${next}`,
        ]),
    ...(unreadable === 0 ? [] : [`${unreadable} could not be read, because their files are damaged`]),
    ...(isCut ? ["an older part of the session is not there"] : []),
  ];
  const lines = hits.map(
    ({ id: name, who, snippet, isAbandoned }) =>
      `${name} ${who}${isAbandoned ? abandoned : ""}\n    ${snippet}`,
  );
  return {
    summary: `Searched the session for ${JSON.stringify(query.slice(0, 100))}: ${how.join("; ")}`,
    ...(lines.length === 0 ? {} : { content: lines.join("\n") }),
  };
}

const abandoned = " (in a branch that the session went back from)";

function read(from: string, { content, shown, next, isAbandoned }: ReadResult): ToolOutput {
  const on =
    next === null
      ? "that is the end"
      : `go on with from ${next.from}${next.offset === 0 ? "" : `, mode full, offset ${next.offset}`}`;
  const items = shown === 1 ? "1 item" : `${shown} items`;
  return {
    summary: `Read ${items} of the session from ${from}${isAbandoned ? abandoned : ""}: ${on}`,
    ...(content === "" ? {} : { content }),
  };
}
