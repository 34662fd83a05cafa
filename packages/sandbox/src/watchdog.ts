/** Watchdog: one small process that outlives a killed Pod for as long as it takes to end what the Pod had started without a sandbox, or in one that did not stand yet. */
import { spawn, type ChildProcess } from "node:child_process";
import { YoiError } from "@yoi/base";
import { ownStdio } from "./inherited.ts";

/**
 * Reads `+ <group>` and `- <group>` and, when the pipe closes, ends the groups that are still named. It is told only about
 * groups that yoi made, ignores what a terminal sends to everybody, and knows nothing else.
 */
const script = `trap '' HUP INT TERM QUIT
groups=' '
while read -r op id; do
  case $op in
    +) groups="$groups$id " ;;
    -) case $groups in *" $id "*) groups="\${groups%%" $id "*} \${groups#*" $id "}" ;; esac ;;
  esac
done
for id in $groups; do kill -s TERM -- "-$id" 2>/dev/null && asked=1; done
[ -z "$asked" ] && exit 0
sleep 1
for id in $groups; do kill -s KILL -- "-$id" 2>/dev/null; done
exit 0
`;

export interface Watchdog {
  /** From here on the group dies with this process. Throws when no watchdog stays alive. */
  watch(group: number): void;
  /** The group has ended. */
  forget(group: number): void;
  close(): Promise<void>;
}

/** How often a watchdog that ended by itself is replaced. */
const restartsMax = 3;

/** Starts nothing until the first group is named. */
export function createWatchdog(): Watchdog {
  const watched = new Set<number>();
  let dog: { readonly child: ChildProcess; readonly gone: Promise<void> } | null = null;
  let restarts = 0;
  let isClosing = false;

  const tell = (line: string): void => {
    dog?.child.stdin?.write(`${line}\n`);
  };
  /** False: the system starts none now. */
  const start = (): boolean => {
    const child = spawn("/bin/sh", ["-c", script], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ownStdio(["pipe", "ignore", "ignore"]),
      detached: true,
    });
    if (child.pid === undefined) {
      // Unheard, it would end this process.
      child.once("error", () => {});
      return false;
    }
    const gone = new Promise<void>((resolve) => {
      const ended = (): void => {
        dog = null;
        resolve();
        if (isClosing || restarts >= restartsMax) return;
        restarts += 1;
        if (watched.size > 0) start();
      };
      child.once("exit", ended);
    });
    // Its end is noticed above; the pipe only repeats it.
    child.stdin?.on("error", () => {});
    child.unref();
    if (child.stdin !== null && "unref" in child.stdin && typeof child.stdin.unref === "function") {
      child.stdin.unref();
    }
    dog = { child, gone };
    for (const group of watched) tell(`+ ${group}`);
    return true;
  };

  return {
    watch: (group) => {
      if (dog === null && restarts >= restartsMax) {
        throw new YoiError(
          "io_failed",
          "The process that would end commands after a crash does not stay alive: look for what ends it, or use the sandbox.",
        );
      }
      if (dog === null && !start()) {
        throw new YoiError(
          "io_failed",
          "The process that would end the command after a crash cannot be started: end other processes, or raise the limit of open files (`ulimit -n`), and try again.",
        );
      }
      watched.add(group);
      tell(`+ ${group}`);
    },
    forget: (group) => {
      watched.delete(group);
      tell(`- ${group}`);
    },
    close: async () => {
      const running = dog;
      if (running === null) return;
      isClosing = true;
      running.child.ref();
      running.child.stdin?.end();
      await running.gone;
      isClosing = false;
    },
  };
}
