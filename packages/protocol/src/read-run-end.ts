/** Read run end: how a run ended, from its JSON. */
import { budgetKeys, type Cost, type Usage } from "@yoi/base";
import type { RunDenial, RunEnd, RunEnded } from "./event.ts";
import type { Fields } from "./fields.ts";
import { idCharsMax } from "./limits.ts";

const runEndKinds: readonly RunEnd["kind"][] = [
  "finished",
  "limit_reached",
  "paused",
  "yielded",
  "aborted",
  "cancelled",
  "rolled_back",
  "failed",
];

export function readRunEnded(fields: Fields): RunEnded {
  return {
    run: fields.nullOr("run", (name) => fields.text(name, idCharsMax, 1)),
    end: readRunEnd(fields.object("end")),
    followed: fields.list("followed", readRunEnd),
    turns: fields.count("turns"),
    usage: readUsage(fields.object("usage")),
    cost: readCost(fields.object("cost")),
    denials: fields.list("denials", readDenial),
    permission_needed: fields.flag("permission_needed"),
  };
}

function readRunEnd(fields: Fields): RunEnd {
  const kind = fields.oneOf("kind", runEndKinds);
  switch (kind) {
    case "finished":
      return { kind, text: fields.string("text") };
    case "limit_reached":
      return readLimit(fields);
    case "paused":
      return {
        kind,
        reason: fields.string("reason"),
        detail: fields.string("detail"),
        until: fields.nullOr("until", (name) => fields.number(name)),
      };
    case "yielded":
    case "aborted":
      return { kind, reason: fields.string("reason") };
    case "cancelled":
    case "rolled_back":
      return { kind };
    case "failed":
      return {
        kind,
        failure: fields.string("failure"),
        message: fields.string("message"),
        retryable: fields.flag("retryable"),
      };
  }
}

function readLimit(fields: Fields): RunEnd {
  const kind = "limit_reached";
  const limit = fields.oneOf("limit", ["turns", "time", "budget"]);
  const max = fields.number("max");
  return limit === "budget"
    ? { kind, limit, key: fields.oneOf("key", budgetKeys), max, used: fields.number("used") }
    : { kind, limit, max };
}

export function readUsage(fields: Fields): Usage {
  return {
    input_tokens: fields.count("input_tokens"),
    output_tokens: fields.count("output_tokens"),
    cache_read_tokens: fields.count("cache_read_tokens"),
    cache_write_tokens: fields.count("cache_write_tokens"),
    reasoning_tokens: fields.count("reasoning_tokens"),
  };
}

export function readCost(fields: Fields): Cost {
  return {
    nano_usd: fields.count("nano_usd"),
    unpriced_requests: fields.count("unpriced_requests"),
  };
}

function readDenial(fields: Fields): RunDenial {
  return {
    call: fields.string("call"),
    tool: fields.string("tool"),
    target: fields.string("target"),
    reason: fields.string("reason"),
    kind: fields.oneOf("kind", ["asked", "denied"]),
  };
}
