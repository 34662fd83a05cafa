/** Read view: a snapshot of a Pod from its JSON. */
import type { Fields } from "./fields.ts";
import { idCharsMax } from "./limits.ts";
import { blockEventKinds, readAlert, readCompactionWork } from "./read-live.ts";
import { readRunEnded } from "./read-run-end.ts";
import type {
  InFlight,
  InFlightBlock,
  InFlightCall,
  PendingApproval,
  PodAbout,
  PodView,
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
  };
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
    tools: fields.strings("tools"),
  };
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
  };
}
