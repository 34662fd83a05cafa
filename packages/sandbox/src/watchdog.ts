/** Watchdog: one small process that outlives a killed Pod for as long as it takes to end what the Pod had started without a sandbox. */
import { spawn, type ChildProcess } from "node:child_process";

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
  /** From here on the group dies with this process. */
  watch(group: number): void;
  /** The group has ended. */
  forget(group: number): void;
  close(): Promise<void>;
}

/** Starts nothing until the first group is named. */
export function createWatchdog(): Watchdog {
  const watched = new Set<number>();
  let dog: { readonly child: ChildProcess; readonly gone: Promise<void> } | null = null;

  const start = (): NonNullable<typeof dog> => {
    const child = spawn("/bin/sh", ["-c", script], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    const gone = new Promise<void>((resolve) => {
      const ended = (): void => {
        if (dog?.child === child) dog = null;
        resolve();
      };
      child.once("exit", ended);
      child.once("error", ended);
    });
    // Its end shows as an error of the pipe too; the next group starts another one.
    child.stdin?.on("error", () => {});
    child.unref();
    if (child.stdin !== null && "unref" in child.stdin && typeof child.stdin.unref === "function")
      child.stdin.unref();
    const started = { child, gone };
    dog = started;
    for (const group of watched) child.stdin?.write(`+ ${group}\n`);
    return started;
  };

  return {
    watch: (group) => {
      watched.add(group);
      if (dog === null) start();
      else dog.child.stdin?.write(`+ ${group}\n`);
    },
    forget: (group) => {
      watched.delete(group);
      dog?.child.stdin?.write(`- ${group}\n`);
    },
    close: async () => {
      const running = dog;
      if (running === null) return;
      running.child.ref();
      running.child.stdin?.end();
      await running.gone;
    },
  };
}
