/** Checks one authority that a feature asks for, or that is on record as granted. */
import { isAbsolute } from "node:path";
import type { JsonValue } from "@yoi/base";
import { authorityKinds, type HostAuthority, serviceId, sourceQualifiedCharsMax } from "@yoi/feature";
import { isHostPattern } from "@yoi/tools";
import { hostCharsMax, hostsMax, nameCharsMax, pathCharsMax } from "./descriptor-limits.ts";
import { Fields, problem } from "./fields.ts";

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const secretPattern = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/;

/** Throws feature_invalid, with the place. */
export function checkAuthority(value: JsonValue, place: string): HostAuthority {
  const fields = new Fields(value, place);
  const authority = read(fields);
  fields.end();
  return authority;
}

function read(fields: Fields): HostAuthority {
  const kind = fields.oneOf("kind", authorityKinds);
  switch (kind) {
    case "filesystem":
      return { kind, access: fields.oneOf("access", ["read", "write"]), path: path(fields) };
    case "network":
      return { kind, hosts: hosts(fields) };
    case "secret_ref":
      return { kind, id: fields.matching("id", nameCharsMax, secretPattern, "the id of a secret") };
    case "model_notification":
    case "pod_management":
      return { kind };
    case "state_store":
      return { kind, name: fields.matching("name", nameCharsMax, namePattern, "a name without spaces") };
    case "service_access":
      return { kind, service: serviceId(fields.text("service", sourceQualifiedCharsMax)) };
  }
}

/** Where it leads is the handle's to decide; what cannot be read at a glance is refused here. */
function path(fields: Fields): string {
  const text = fields.text("path", pathCharsMax);
  const segments = text.split("/");
  if (segments.includes("..") || (!isAbsolute(text) && segments.includes("~"))) {
    throw problem(fields.at("path"), `is ${JSON.stringify(text)}: it is to be a path without ".." and "~"`);
  }
  return text;
}

function hosts(fields: Fields): readonly string[] {
  const host = (value: JsonValue, place: string) =>
    new Fields({ host: value }, place).matching(
      "host",
      hostCharsMax,
      { test: isHostPattern },
      "a host name in lower case, or *. before one",
    );
  const found = fields.list("hosts", hostsMax, host, (each) => each);
  if (found.length === 0) throw problem(fields.at("hosts"), "names no host");
  return found;
}
