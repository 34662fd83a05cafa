/** Read view: a snapshot of a Pod from its JSON. */
import { queueTimes, type ScopeWish } from "@yoi/base";
import type { Fields } from "./fields.ts";
import { idCharsMax } from "./limits.ts";
import { blockEventKinds, readAlert, readCompactionWork } from "./read-live.ts";
import { readRunEnded } from "./read-run-end.ts";
import { readPart } from "./rewind.ts";
import { readChild, readContext, readPanel, readSpent } from "./read-present.ts";
import type {
  InFlight,
  InFlightBlock,
  InFlightCall,
  PendingApproval,
  PodAbout,
  PodView,
  QueuedInput,
  RunningCommand,
  SkillOffer,
} from "./snapshot.ts";
import { podStates } from "./state-table.ts";

export function readView(fields: Fields): PodView {
  return {
    pod: fields.string("pod"),
    session: fields.string("session"),
    segment: fields.string("segment"),
    generation: fields.count("generation"),
    epoch: fields.count("epoch"),
    seq: fields.count("seq"),
    n: fields.count("n"),
    state: fields.oneOf("state", podStates),
    run: fields.nullOr("run", (name) => fields.text(name, idCharsMax, 1)),
    about: readAbout(fields.object("about")),
    in_flight: readInFlight(fields.object("in_flight")),
    approvals: fields.list("approvals", readApproval),
    ...(fields.has("approvals_omitted") ? { approvals_omitted: fields.count("approvals_omitted") } : {}),
    ...(fields.has("compaction") ? { compaction: readCompactionWork(fields.object("compaction")) } : {}),
    ...(fields.has("paused") ? { paused: readPaused(fields.object("paused")) } : {}),
    waiting: fields.count("waiting"),
    alerts: fields.list("alerts", (alert) => ({
      type: alert.oneOf("type", ["alert"]),
      ...readAlert(alert),
      n: alert.count("n"),
    })),
    last_run: fields.nullOr("last_run", (name) => readRunEnded(fields.object(name))),
    ...(fields.has("title") ? { title: fields.string("title") } : {}),
    ...(fields.has("queue") ? { queue: fields.list("queue", readQueued) } : {}),
    ...(fields.has("queue_held") && fields.flag("queue_held") ? { queue_held: true } : {}),
    ...(fields.has("commands") ? { commands: fields.list("commands", readCommand) } : {}),
    ...(fields.has("panels") ? { panels: fields.list("panels", readPanel) } : {}),
    ...(fields.has("context") ? { context: readContext(fields.object("context")) } : {}),
    ...(fields.has("spent") ? { spent: readSpent(fields.object("spent")) } : {}),
    ...(fields.has("children") ? { children: fields.list("children", readChild) } : {}),
  };
}

function readQueued(fields: Fields): QueuedInput {
  return {
    id: fields.string("id"),
    when: fields.oneOf("when", queueTimes),
    parts: fields.list("parts", readPart),
  };
}

function readCommand(fields: Fields): RunningCommand {
  return { id: fields.string("id"), command: fields.string("command"), output: fields.string("output") };
}

function readPaused(fields: Fields): NonNullable<PodView["paused"]> {
  const reason = fields.string("reason");
  return fields.has("until") ? { reason, until: fields.number("until") } : { reason };
}

function readAbout(fields: Fields): PodAbout {
  return {
    version: fields.string("version"),
    model: fields.string("model"),
    workspace: fields.string("workspace"),
    sandbox: fields.oneOf("sandbox", ["on", "off", "missing"]),
    network: fields.flag("network"),
    permission_mode: fields.string("permission_mode"),
    ...(fields.has("writes") ? { writes: fields.string("writes") } : {}),
    tools: fields.strings("tools"),
    ...(fields.has("skills") ? { skills: fields.list("skills", readSkill) } : {}),
  };
}

function readSkill(fields: Fields): SkillOffer {
  return { name: fields.string("name"), description: fields.string("description") };
}

function readInFlight(fields: Fields): InFlight {
  return {
    request: fields.nullOr("request", (name) => fields.count(name)),
    blocks: fields.list("blocks", readBlock),
    calls: fields.list("calls", readCall),
  };
}

function readBlock(fields: Fields): InFlightBlock {
  return {
    index: fields.count("index"),
    block: fields.oneOf("block", blockEventKinds),
    name: fields.nullOr("name", (name) => fields.string(name)),
    from: fields.count("from"),
    text: fields.string("text"),
  };
}

function readCall(fields: Fields): InFlightCall {
  return {
    call: fields.string("call"),
    name: fields.string("name"),
    title: fields.string("title"),
    output: fields.string("output"),
  };
}

function readApproval(fields: Fields): PendingApproval {
  return {
    digest: fields.string("digest"),
    call: fields.string("call"),
    tool: fields.string("tool"),
    arguments: fields.string("arguments"),
    reason: fields.string("reason"),
    expires: fields.count("expires"),
    ...(fields.has("offers") ? { offers: fields.strings("offers") } : {}),
    ...(fields.has("wish") ? { wish: readWish(fields.object("wish")) } : {}),
  };
}

function readWish(fields: Fields): ScopeWish {
  return { permission: fields.oneOf("permission", ["read", "write"]), target: fields.string("target") };
}
