/** One look at bubblewrap: is it there, is it ours to trust, does it start, and if not, which one command changes that. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { isolationArgs } from "./argv.ts";
import { findProgram } from "./find-program.ts";

export type Bubblewrap =
  | {
      readonly found: true;
      readonly file: string;
      readonly version: string;
      readonly disableUserNamespaces: boolean;
    }
  | { readonly found: false; readonly reason: string };

const probeMs = 10_000;
const tryArgs = ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "/bin/sh", "-c", ":"];

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
  const tryWith = (disableUserNamespaces: boolean) =>
    run(file, [...isolationArgs({ network: false, disableUserNamespaces }), ...tryArgs]);
  // Both at once, for a version of today; an older one is tried again.
  const [said, triedNew] = await Promise.all([run(file, ["--version"]), tryWith(true)]);
  const version = /(\d+)\.(\d+)(?:\.\d+)?/.exec(said.output);
  if (said.failed || version === null)
    return { found: false, reason: `${file} does not say its version, so it is not used; ${install}` };
  const disableUserNamespaces = Number(version[1]) > 0 || Number(version[2]) >= 8;
  const tried = disableUserNamespaces ? triedNew : await tryWith(false);
  if (!tried.failed) return { found: true, file, version: version[0], disableUserNamespaces };
  const because = tried.output.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
  return {
    found: false,
    reason: `Shell commands need the sandbox bubblewrap, and it does not start here (${because || "it said nothing"}); ${remedy()}`,
  };
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
