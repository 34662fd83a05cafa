/** One look at bubblewrap: is it there, is it ours to trust, does it start, and if not, which one command changes that. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { isolationArgs } from "./argv.ts";
import { findProgram } from "./find-program.ts";

export type Bubblewrap =
  | {
      readonly found: true;
      readonly file: string;
      readonly disableUserNamespaces: boolean;
    }
  | { readonly found: false; readonly reason: string };

const probeMs = 10_000;
const begun = "a shell began";
const places = ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"];
const tryArgs = [...places, "--", "/bin/sh", "-c", `echo ${begun}`];

/** Looks for it in `searchPath`: a program that a model can have written is not the one that holds it. */
export async function probeBubblewrap(searchPath: readonly string[], workspace: string): Promise<Bubblewrap> {
  const install = `install it with: ${installCommand(searchPath)}`;
  const file = findProgram("bwrap", searchPath, workspace);
  if (file === null) {
    return {
      found: false,
      reason: `Shell commands need the sandbox bubblewrap, and no bwrap is on PATH where you could not have written it yourself; ${install}`,
    };
  }
  const tryWith = async (disableUserNamespaces: boolean) => {
    const isolation = isolationArgs({ network: false, disableUserNamespaces });
    const { failed, output } = await run(file, [...isolation, ...tryArgs]);
    return { works: !failed && output.includes(begun), output };
  };
  const newest = await tryWith(true);
  if (newest.works) return { found: true, file, disableUserNamespaces: true };
  const version = await bubblewrapVersion(file);
  if (version === null)
    return { found: false, reason: `${file} does not say its version, so it is not used; ${install}` };
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major === 0 && minor < 8;
  const tried = isOld ? await tryWith(false) : newest;
  if (tried.works) return { found: true, file, disableUserNamespaces: false };
  const because = tried.output.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
  return {
    found: false,
    reason: `Shell commands need the sandbox bubblewrap, and it does not start here (${because || "it said nothing"}); ${remedy()}`,
  };
}

/** Null: it does not say one. */
export async function bubblewrapVersion(file: string): Promise<string | null> {
  const { failed, output } = await run(file, ["--version"]);
  return failed ? null : (/\d+\.\d+(?:\.\d+)?/.exec(output)?.[0] ?? null);
}

const installers: readonly (readonly [string, string])[] = [
  ["apt-get", "sudo apt-get install -y bubblewrap"],
  ["dnf", "sudo dnf install -y bubblewrap"],
  ["pacman", "sudo pacman -S --noconfirm bubblewrap"],
  ["zypper", "sudo zypper install -y bubblewrap"],
  ["apk", "sudo apk add bubblewrap"],
];

function installCommand(searchPath: readonly string[]): string {
  const known = installers.find(
    ([program]) => findProgram(program, [...searchPath, "/usr/bin", "/sbin"], "/nonexistent") !== null,
  );
  return known?.[1] ?? "sudo apt-get install -y bubblewrap";
}

/** What keeps an ordinary user from making a namespace, most common first. */
const switches: readonly { readonly file: string; readonly off: string; readonly command: string }[] = [
  {
    file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    off: "1",
    command: "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  },
  {
    file: "/proc/sys/kernel/unprivileged_userns_clone",
    off: "0",
    command: "sudo sysctl -w kernel.unprivileged_userns_clone=1",
  },
  {
    file: "/proc/sys/user/max_user_namespaces",
    off: "0",
    command: "sudo sysctl -w user.max_user_namespaces=15000",
  },
];

function remedy(): string {
  for (const { file, off, command } of switches) {
    try {
      if (readFileSync(file, "utf8").trim() === off)
        return `this machine forbids it; allow it with: ${command}`;
    } catch {
      // This kernel has no such switch.
    }
  }
  return "in a container, start that with: docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined";
}

function run(
  file: string,
  args: readonly string[],
): Promise<{ readonly failed: boolean; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(
      file,
      [...args],
      { env: { PATH: "/usr/bin:/bin" }, cwd: "/", timeout: probeMs, killSignal: "SIGKILL" },
      (error, stdout, stderr) => resolve({ failed: error !== null, output: `${stdout}${stderr}` }),
    );
  });
}
