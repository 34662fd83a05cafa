/** `yoi ticket link`: what one ticket is to another, and taking that back. */
import { YoiError } from "@yoi/base";
import type { RelationKind } from "@yoi/tickets";
import { exitCode } from "../exit-code.ts";
import { printResult } from "../output/print-result.ts";
import { ticketsToWrite, type WriteFlags } from "../tickets/ticket-command.ts";

export interface LinkFlags extends WriteFlags {
  readonly blocks?: string;
  readonly partOf?: string;
  readonly follows?: string;
  readonly remove?: boolean;
}

export async function ticketLink(given: string, flags: LinkFlags): Promise<number> {
  const { relation, other } = relationOf(flags);
  const { store, actor, named } = await ticketsToWrite(flags);
  const id = await named(given);
  const target = await named(other);
  const event = await store.link(id, { relation, target, remove: flags.remove === true }, actor);
  const { now, noLonger } = relationWords[relation];
  const sentence = `${id} ${flags.remove === true ? noLonger : now} ${target} (event ${event.id})`;
  printResult(flags, { ticket: id, ...event }, sentence);
  return exitCode.done;
}

const relationWords: Readonly<Record<RelationKind, { readonly now: string; readonly noLonger: string }>> = {
  blocks: { now: "blocks", noLonger: "no longer blocks" },
  part_of: { now: "is part of", noLonger: "is no longer part of" },
  follows: { now: "follows", noLonger: "no longer follows" },
};

interface Link {
  readonly relation: RelationKind;
  readonly other: string;
}

function relationOf({ blocks, partOf, follows }: LinkFlags): Link {
  const links: readonly { readonly relation: RelationKind; readonly other: string | undefined }[] = [
    { relation: "blocks", other: blocks },
    { relation: "part_of", other: partOf },
    { relation: "follows", other: follows },
  ];
  const given = links.flatMap(({ relation, other }) => (other === undefined ? [] : [{ relation, other }]));
  const [link] = given;
  if (link === undefined || given.length > 1)
    throw new YoiError(
      "usage",
      "A link is one of --blocks ID, --part-of ID and --follows ID: each makes an event of its own.",
    );
  return link;
}
