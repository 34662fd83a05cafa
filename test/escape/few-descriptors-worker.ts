/** Uses up its descriptors but none, one, two and so on, and tries a command each time: prints what came of each as JSON. */
import { closeSync, openSync } from "node:fs";
import { callId, podName, YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { createCommandRunner } from "@yoi/sandbox";
import { createWatchdog } from "../../packages/sandbox/src/watchdog.ts";
import { makePlace } from "./place.ts";
import { testPath } from "./harness.ts";

const [, , mode = "off"] = process.argv;
const freeMax = 24;
const { clock, timers } = nodeHost();
const place = makePlace(testPath);
const runner = await createCommandRunner({
  mode: mode === "on" ? "on" : "off",
  protection: place.protection,
  env: { PATH: testPath },
  timers,
  clock,
  quarantine: async (_call, path) => path,
  unixSockets: true,
});

/** No process has a group that high. */
const nobody = 2 ** 30;
const watchdog = createWatchdog();
const watched = (): string => {
  try {
    watchdog.watch(nobody);
    return "watched";
  } catch (error) {
    return error instanceof YoiError ? error.code : String(error);
  }
};

const tried = async (): Promise<string> => {
  try {
    const exit = await runner.run({
      pod: podName("p"),
      call: callId(1, 0),
      script: "exit 7",
      cwd: place.workspace,
      scope: place.scope,
      network: false,
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      onOutput: () => {},
    });
    return exit.kind === "exited" ? String(exit.code) : exit.kind;
  } catch (error) {
    return error instanceof YoiError ? error.code : String(error);
  }
};

const held: number[] = [];
const outcomes: string[] = [];
const watches: string[] = [];
for (let free = 0; free < freeMax; free += 1) {
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {
    // None is left.
  }
  if (free === 0) watches.push(watched());
  for (const descriptor of held.splice(-free, free)) closeSync(descriptor);
  outcomes.push(await tried());
}
for (const descriptor of held) closeSync(descriptor);
outcomes.push(await tried());
watches.push(watched());
watchdog.forget(nobody);
await watchdog.close();
await runner.close();
place.remove();
process.stdout.write(JSON.stringify({ outcomes, watches }));
