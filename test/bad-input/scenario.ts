/** A scripted Pod of one test: its scenario beside it in the workspace, and the entries of its log. */
import { join } from "node:path";
import type { JsonObject } from "@yoi/base";
import type { TempHome } from "../support/temp-home.ts";
import { plant } from "./machine.ts";

export const pod = "p";
/** Flags that name the Pod and its model. */
export const scripted = ["--pod", pod, "-m", "scripted/s.yaml"];

/** JSON is YAML too. */
export function scenario(home: TempHome, ...steps: readonly object[]): void {
  plant(join(home.workspace, "s.yaml"), JSON.stringify({ steps }));
}

export const say = (text: string): object => ({ text });

export const bash = (command: string): object => ({ tool_calls: [{ name: "Bash", arguments: { command } }] });

/** A step whose call needs no sandbox. */
export const writeCall = (path: string): object => ({
  tool_calls: [{ name: "Write", arguments: { file_path: path, content: "written" } }],
});

export function entriesOf(jsonLines: string): readonly JsonObject[] {
  return jsonLines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
}
