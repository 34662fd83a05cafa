/** Where yoi keeps its files, from the environment alone: a pure function, so that everything can be moved by one variable. */
import { isAbsolute, join, normalize } from "node:path";
import { YoiError } from "@yoi/base";

export interface Directories {
  /** Hand-written settings. */
  readonly config: string;
  /** Sessions, Pods, locks: what must survive. */
  readonly data: string;
  /** Sockets and tokens: may vanish on reboot. Whoever makes it checks that it is 0700, ours and no link. */
  readonly runtime: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `YOI_HOME` overrides all three; else the XDG variables, each with its usual fallback below `HOME`. An empty variable is an unset one.
 * Throws config_invalid for a relative `YOI_HOME`, and when no variable says where to go. (The XDG rules say to ignore relative paths.)
 */
export function directories(env: Environment): Directories {
  const own = env["YOI_HOME"];
  if (own !== undefined && own !== "") {
    if (!isAbsolute(own)) {
      throw new YoiError(
        "config_invalid",
        `YOI_HOME is ${JSON.stringify(own)}, but must be an absolute path: set it to one.`,
      );
    }
    const home = withoutSlash(own);
    return { config: join(home, "config"), data: home, runtime: join(home, "run") };
  }
  const data = base(env, "XDG_DATA_HOME", [".local", "share"]);
  const runtime = absolute(env, "XDG_RUNTIME_DIR");
  return {
    config: base(env, "XDG_CONFIG_HOME", [".config"]),
    data,
    runtime: runtime === null ? join(data, "run") : join(runtime, "yoi"),
  };
}

function base(env: Environment, variable: string, belowHome: readonly string[]): string {
  const set = absolute(env, variable);
  if (set !== null) return join(set, "yoi");
  const home = absolute(env, "HOME");
  if (home === null) {
    throw new YoiError(
      "config_invalid",
      "No folder for yoi's files is known: set HOME or YOI_HOME to an absolute path.",
    );
  }
  return join(home, ...belowHome, "yoi");
}

function absolute(env: Environment, variable: string): string | null {
  const value = env[variable];
  return value !== undefined && isAbsolute(value) ? withoutSlash(value) : null;
}

function withoutSlash(path: string): string {
  const normal = normalize(path);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}
