/** The client of docs/protocol.md, as it stands there: saved, run, and answered by a hosted Pod. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { Hosting } from "./hosted.ts";

const page = readFileSync(new URL("../../docs/protocol.md", import.meta.url), "utf8");

function block(language: string): string {
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page) ?? [];
  assert.ok(code !== undefined, `no block of ${language}`);
  return code;
}

const scenario = `steps:
  - blocks:
      - text: "Hello there."
`;

test("the client of the protocol page asks a hosted Pod and prints its answer", async () => {
  await using hosting = new Hosting();
  const pod = await hosting.startPod("fixer", scenario);
  const { workspace } = hosting.home;
  writeFileSync(join(workspace, "ask.mjs"), block("js"));
  // The page's own line, with this machine's runtime directory in the place of the usual one.
  const [, line = ""] = block("sh").trimEnd().split("\n");
  const command = line
    .replace("$XDG_RUNTIME_DIR/yoi", join(hosting.home.home, "run"))
    .replace(/^node /, `${process.execPath} `);
  assert.notEqual(command, line);
  const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: workspace, timeout: 30_000 });
  assert.equal(stdout, "Hello there.\n");
  const input = pod.log().find((entry) => entry.kind === "user_input");
  assert.deepEqual(input?.["parts"], [{ type: "text", text: "Say hello." }]);
});

/** What a line of a transcript is, without what differs from run to run. */
function sort(line: string): string {
  const event = /"event":"(\w+)"/.exec(line)?.[1];
  if (event === undefined) return /"method":"(\w+)"/.exec(line)?.[1] ?? "answer";
  if (event !== "entry" && event !== "live") return event;
  return `${event} ${/"(?:kind|type)":"(\w+)"/.exec(line)?.[1]}`;
}

test("the transcript of the protocol page is what goes over the socket, lines left out", async () => {
  await using hosting = new Hosting();
  const pod = await hosting.startPod("fixer", scenario);
  const seen: string[] = [];
  const socket = connect(pod.socket).setEncoding("utf8");
  const say = (line: string): void => {
    seen.push(sort(line));
    socket.write(`${line}\n`);
  };
  const [hello = "", submit = ""] = block("text")
    .split("\n")
    .filter((line) => line.startsWith("> "))
    .map((line) => line.slice(2));
  say(hello.replace("5f0c...", pod.token));
  let rest = "";
  for await (const piece of socket) {
    const lines = `${rest}${String(piece)}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      seen.push(sort(line));
      if (line.startsWith('{"event":"snapshot"')) say(submit);
      if (line.includes('"type":"run_ended"')) socket.end();
    }
  }
  const told = block("text").trimEnd().split("\n").map(sort);
  let at = -1;
  for (const line of told) {
    at = seen.indexOf(line, at + 1);
    assert.notEqual(at, -1, `${line} does not come there: ${seen.join(", ")}`);
  }
});

test("what is said before hello is answered is read once the client is known, and not at all where hello is refused", async () => {
  await using hosting = new Hosting();
  const pod = await hosting.startPod("fixer", scenario);
  const hello = (token: string) => ({ protocol: 1, role: "user", token, stream: false });
  const answers = async (token: string): Promise<readonly unknown[]> => {
    const socket = connect(pod.socket).setEncoding("utf8");
    const lines = [
      { id: "1", method: "hello", params: hello(token) },
      // Larger than a first line may be, and in one piece with it.
      { id: "2", method: "ping", params: { text: "a" }, later: "x".repeat(60_000) },
      { id: "3", method: "ping", params: { text: "b" } },
    ];
    socket.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    let said = "";
    for await (const piece of socket) said += String(piece);
    return said
      .trimEnd()
      .split("\n")
      .map((line) => {
        const { id, error } = JSON.parse(line) as { id: string; error?: { code: string } };
        return error === undefined ? id : [id, error.code];
      });
  };
  assert.deepEqual(await answers(pod.token), ["1", "2", "3"]);
  assert.deepEqual(await answers("0".repeat(64)), [["1", "unauthorized"]]);
});
