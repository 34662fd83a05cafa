/** docs/features.md holds what it says: its excerpts are the code, its tables are the contract, and its commands do what it tells. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import {
  authorityKinds,
  childInstructionBytesMax,
  childMessageBytesMax,
  describedBytesMax,
  type HookActions,
  type HookPoint,
  hookPoints,
  lentRulesMax,
  peerMessageBytesMax,
  podOutputBytesMax,
  podsListedMax,
} from "../../packages/feature/src/index.ts";
import {
  featureBytesMax,
  featureDepthMax,
  featureEntriesMax,
} from "../../packages/cli/src/features/content.ts";
import { packagesMax } from "../../packages/cli/src/features/find-packages.ts";
import { featuresMax } from "../../packages/cli/src/features/found-feature.ts";
import { subjectBytesMax } from "../../packages/keep/src/index.ts";
import { alertsPerMinuteMax } from "../../packages/pod/src/feature/sinks/alert-sink.ts";
import { diagnosticsMax } from "../../packages/pod/src/feature/sinks/feature-diagnostics.ts";
import {
  notificationKeyCharsMax,
  notificationsPerMinuteMax,
  positionBytesMax,
} from "../../packages/pod/src/feature/sinks/notification-sink.ts";
import { inboxMax, noticeBytesMax } from "../../packages/pod/src/index.ts";
import { featureStateBytesMax } from "../../packages/pod/src/feature/authorities/state-handle.ts";
import { taskStopMsMax } from "../../packages/pod/src/feature/background/background-tasks.ts";
import {
  authoritiesMax,
  backgroundTasksMax,
  hooksMax,
  toolsMax,
} from "../../packages/pod/src/feature/descriptor-limits.ts";
import { installsMsMax } from "../../packages/pod/src/feature/install-features.ts";
import { installMsMax } from "../../packages/pod/src/feature/install/install-one.ts";
import { featuresMax as podFeaturesMax } from "../../packages/pod/src/feature/install/preflight.ts";
import {
  serviceCallMsMax,
  serviceValueBytesMax,
} from "../../packages/pod/src/feature/services/call-service.ts";
import { stateBytesMax, statesBytesMax } from "../../packages/pod/src/feature/states/feature-states.ts";
import { appendBodyBytesMax, appendItemsMax } from "../../packages/pod/src/hook/append-queue.ts";
import { hookTimeoutMs } from "../../packages/pod/src/hook/ask.ts";
import { saidCharsMax } from "../../packages/pod/src/hook/said.ts";
import { shell } from "../newcomer/shell.ts";
import { tempHome } from "../support/temp-home.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const page = "docs/features.md";
const text = read(page);

interface Excerpt {
  readonly file: string;
  readonly code: string;
}

/** Every block of TypeScript, with the file that the line before it names. */
function excerptsOf(document: string): readonly Excerpt[] {
  const blocks = [...document.matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
  return blocks.map(({ 1: code = "", index }) => {
    const file = /From \[[^\]]+\]\(([^)]+)\):\n\n$/.exec(document.slice(0, index))?.[1];
    assert.ok(file !== undefined, `an excerpt says where it is from: ${code}`);
    return { file: posix.join("docs", file), code };
  });
}

/** How deep a line stands is the file's. */
const flush = (code: string) => code.replace(/^ +/gm, "");
const isInSource = ({ file, code }: Excerpt) => flush(read(file)).includes(flush(code));

/** Cells of the rows of the table below a heading. */
function table(heading: string): readonly (readonly string[])[] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(2).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test("every excerpt stands in the file that it names", () => {
  const excerpts = excerptsOf(text);
  assert.ok(excerpts.length >= 5);
  assert.deepEqual(
    excerpts.filter((one) => !isInSource(one)),
    [],
  );
  const [first] = excerpts;
  assert.ok(first !== undefined);
  assert.ok(!isInSource({ ...first, code: `${first.code}more` }), "control: another text would be found");
});

/** The compiler holds this to the contract. */
const actions: { readonly [P in HookPoint]: Readonly<Record<HookActions[P]["action"], true>> } = {
  on_prompt_submit: { continue: true, cancel: true },
  pre_llm_request: { continue: true, cancel: true, yield: true },
  pre_tool_call: { continue: true, deny: true, abort: true, pause: true },
  post_tool_call: { continue: true, abort: true },
  on_turn_end: { finish: true, pause: true },
  on_abort: { observed: true },
};

test("the tables of hook points and authorities are the contract's", () => {
  assert.deepEqual(
    table("Hooks").map(([point, , names]) => [point, names]),
    hookPoints.map((point) => [`\`${point}\``, Object.keys(actions[point]).join(", ")]),
  );
  assert.deepEqual(
    table("Authorities").map(([kind]) => kind),
    authorityKinds.map((kind) => `\`${kind}\``),
  );
});

const kib = (bytes: number) => `${bytes / 1024} KiB`;
const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
const seconds = (ms: number) => `${ms / 1000} s`;

test("the limits are the program's", () => {
  assert.deepEqual([hooksMax, authoritiesMax], [toolsMax, toolsMax]);
  assert.deepEqual(
    table("Limits").map(([, limit]) => limit),
    [
      `${podFeaturesMax}`,
      `${seconds(installMsMax)}, and ${seconds(installsMsMax)} of all together`,
      seconds(hookTimeoutMs),
      `${appendItemsMax} items of ${kib(appendBodyBytesMax)} a request`,
      `${toolsMax} each`,
      `${backgroundTasksMax}, with ${seconds(taskStopMsMax)} to stop`,
      `${seconds(serviceCallMsMax)}, ${kib(serviceValueBytesMax)} each way`,
      `${kib(stateBytesMax)}, and ${kib(statesBytesMax)} of all`,
      `${kib(describedBytesMax)}, cut there`,
      mib(featureStateBytesMax),
      `${diagnosticsMax} of ${saidCharsMax} characters`,
      `${kib(noticeBytesMax)}, ${notificationsPerMinuteMax} a minute`,
      `${kib(positionBytesMax)}, ${notificationKeyCharsMax} characters`,
      `${inboxMax}`,
      `${alertsPerMinuteMax} a minute`,
      kib(childMessageBytesMax),
      kib(childInstructionBytesMax),
      kib(peerMessageBytesMax),
      `${lentRulesMax}`,
      `${podsListedMax}`,
    ],
  );
  assert.ok(text.includes(`since it was read last, ${kib(podOutputBytesMax)} at a time`));
  const entries = featureEntriesMax.toLocaleString("en");
  assert.ok(
    text.includes(
      `more than ${entries} files and folders, more than ${mib(featureBytesMax)}, or more than ${featureDepthMax} folders in folders`,
    ),
  );
  assert.ok(text.includes(`of the first ${kib(subjectBytesMax)}`));
  assert.ok(text.includes(`Of ${packagesMax.toLocaleString("en")} packages at most`));
  assert.ok(text.includes(`At most ${featuresMax} are shown of each place`));
});

test("the page's commands, as they stand", async () => {
  using home = tempHome();
  const lines = /^```sh\n([\s\S]*?)^```$/m.exec(text)?.[1]?.trimEnd().split("\n") ?? [];
  const said: string[] = [];
  for (const line of [...lines, "yoi feature list --json", "yoi feature show project:lint --json"]) {
    const { code, stdout, stderr } = await shell(home, line, {
      cwd: home.workspace,
      providerUrl: "http://127.0.0.1:1",
    });
    assert.equal(code, 0, `${line}\n${stdout}${stderr}`);
    said.push(stdout);
  }
  const [listed, before, , after] = said.slice(2).map(String);
  assert.match(listed ?? "", /^project:lint .* not approved .*lint\.ts$/m);
  assert.match(before ?? "", /status {3}not approved$/m);
  assert.match(after ?? "", /status {3}approved, not run by this version$/m);

  const fields = table("Seeing what became of them").flatMap(([names = ""]) =>
    names.replaceAll("`", "").split(", "),
  );
  const [list, show] = said.slice(-2).map((json) => JSON.parse(json) as Record<string, unknown>);
  const features = list?.["features"] as readonly Record<string, unknown>[];
  assert.deepEqual(Object.keys(list ?? {}), ["workspace", "features", "warnings"]);
  for (const feature of features) assert.deepEqual(Object.keys(feature), fields, String(feature["id"]));
  assert.deepEqual(Object.keys(show ?? {}), [...fields, "descriptor", "files", "difference", "warnings"]);
});
