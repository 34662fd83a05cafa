/** The environment of a command: an allow-list, so that no key of a provider and no token of the shell that started yoi is in it. */
import { hash } from "node:crypto";
import type { CallId, PodName } from "@yoi/base";

export type Environment = Readonly<Record<string, string | undefined>>;

const allowed = new Set([
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LANGUAGE",
  "TERM",
  "COLORTERM",
  "NO_COLOR",
  "TZ",
  // Where toolchains are: paths, not secrets.
  "JAVA_HOME",
  "GOROOT",
  "GOPATH",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "PYENV_ROOT",
  "NVM_DIR",
  "VOLTA_HOME",
  "ASDF_DIR",
  "ASDF_DATA_DIR",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
  "DOTNET_ROOT",
]);

const localeName = /^LC_[A-Z]+$/;

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Absolute entries only: a relative one would find programs in whatever directory a command runs in. */
export function searchPath(path: string | undefined): string[] {
  const entries = (path ?? "").split(":").filter((entry) => entry.startsWith("/"));
  return entries.length === 0 ? defaultPath.split(":") : [...new Set(entries)];
}

/** @param owner as `ownerMark` gives it. */
export function commandEnvironment(
  from: Environment,
  command: { readonly pod: PodName; readonly call: CallId },
  owner: string | null,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    if (value !== undefined && (allowed.has(name) || localeName.test(name))) kept[name] = value;
  }
  return {
    ...kept,
    PATH: searchPath(from["PATH"]).join(":"),
    YOI: "1",
    YOI_POD: command.pod,
    YOI_CALL: callMark(command.pod, command.call),
    ...(owner === null ? {} : { [ownerVariable]: owner }),
  };
}

export const ownerVariable = "YOI_OWNER";

/** Tells Pods of one name in two data directories apart; null for a runner of no Pod. `spill` is the Pod's own directory. */
export function ownerMark(spill: string | null): string | null {
  return spill === null ? null : hash("sha256", spill, "hex").slice(0, 12);
}

/** How a process of a call is known, also after its Pod's process died. */
export function callMark(pod: PodName, call: CallId | ""): string {
  return `${pod}/${call}`;
}
