/** Which ticket is meant: an id as a person types it, whole or as much of its beginning or end as tells it from the others. */
import { YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import { isTicketId } from "@yoi/tickets";

/** Of a part of an id. */
const partCharsMin = 4;
/** Of those that a part may mean. */
const namedMax = 10;

/**
 * The whole id. A whole one that is given need not be there. Throws usage for what is none or means several, ticket_unknown for what means none.
 * @param root the folder of the tickets.
 */
export async function ticketNamed(
  given: string,
  { files, root }: { readonly files: Pick<Files, "list">; readonly root: string },
): Promise<string> {
  const part = given.toUpperCase();
  if (isTicketId(part)) return part;
  const shown = JSON.stringify(given);
  if (part.length < partCharsMin || !/^[0-9A-Z]{1,12}$/.test(part)) {
    throw new YoiError(
      "usage",
      `${shown} is no id of a ticket: it has 13 letters and digits, as \`yoi ticket list\` shows them; its beginning or its end will do, from ${partCharsMin} characters on.`,
    );
  }
  const ids = (await files.list(root)).filter(isTicketId);
  const found = ids.filter((id) => id.startsWith(part) || id.endsWith(part));
  const [id] = found;
  if (id === undefined)
    throw new YoiError(
      "ticket_unknown",
      `There is no ticket whose id begins or ends with ${shown} in ${root}: \`yoi ticket list --state all\` shows all of them.`,
    );
  if (found.length === 1) return id;
  const more = found.length > namedMax ? ` and ${found.length - namedMax} more` : "";
  throw new YoiError(
    "usage",
    `${shown} may mean ${found.slice(0, namedMax).join(", ")}${more}: give more of the id.`,
  );
}
