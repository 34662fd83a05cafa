/** Bash: what is asked of the runner, and what becomes of the output. */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { type JsonObject, YoiError } from "@yoi/base";
import type { Command, CommandExit } from "@yoi/sandbox";
import { commandBytesMax } from "../src/bash-tool.ts";
import type { OutputFilter } from "../src/shell.ts";
import {
  createCommandOutput,
  inlineBytesMax,
  inlineLinesMax,
  keptHeadBytes,
  keptTailBytes,
} from "../src/output-tail.ts";
import { createBench } from "./support.ts";

async function play(
  output: string | Uint8Array | readonly (string | Uint8Array)[],
  exit: CommandExit,
  args: JsonObject = { command: "make" },
  outputFilter?: () => OutputFilter,
) {
  const commands: Command[] = [];
  const bench = createBench({
    play: (command) => {
      commands.push(command);
      for (const chunk of typeof output === "string" || output instanceof Uint8Array ? [output] : output)
        command.onOutput(Buffer.from(chunk));
      return exit;
    },
    ...(outputFilter === undefined ? {} : { outputFilter }),
  });
  try {
    const result = await bench.call("Bash", args);
    const path = `${bench.spill}/3.0.log`;
    const kept = result.content?.includes(path)
      ? { text: readFileSync(path), mode: statSync(path).mode & 0o777 }
      : null;
    const read = kept === null ? null : await bench.call("Read", { file_path: path, limit: 1 });
    return { result, kept, read, path, commands, bench };
  } finally {
    bench.close();
  }
}
const done: CommandExit = { kind: "exited", code: 0 };

test("Bash: the end of a command is in the first line, and only a cancelled one is an error", async () => {
  const table: readonly [string, CommandExit, object][] = [
    ["", done, { summary: "$ make (no output)" }],
    ["ok\n", done, { summary: "$ make", content: "ok" }],
    ["bad\n", { kind: "exited", code: 2 }, { summary: "$ make (exit 2)", content: "bad" }],
    ["", { kind: "exited", code: 1 }, { summary: "$ make (exit 1)" }],
    [
      "ok\n",
      { ...done, notes: ["One.", "Two."] },
      { summary: "$ make", content: "[One.]\n[Two.]\nok", alerts: ["One.", "Two."] },
    ],
    [
      "",
      { ...done, notes: ["One."] },
      { summary: "$ make (no output)", content: "[One.]", alerts: ["One."] },
    ],
    ["", { kind: "signalled", signal: "SIGSEGV" }, { summary: "$ make (ended by SIGSEGV)" }],
    [
      "half",
      { kind: "timed_out" },
      { summary: "$ make (timed out after 120 s; everything it started was ended)", content: "half" },
    ],
    [
      "half",
      { kind: "cancelled" },
      { summary: "$ make (cancelled; everything it started was ended)", content: "half", is_error: true },
    ],
  ];
  for (const [output, exit, expected] of table) assert.deepEqual((await play(output, exit)).result, expected);
});

test("Bash: what the runner is asked", async () => {
  const { commands, bench } = await play("", done, { command: "ls\nls", timeout_s: 600 });
  const [asked] = commands;
  assert.deepEqual(
    {
      pod: asked?.pod,
      call: asked?.call,
      script: asked?.script,
      cwd: asked?.cwd,
      network: asked?.network,
      timeoutMs: asked?.timeoutMs,
    },
    { pod: "p", call: "3.0", script: "ls\nls", cwd: bench.workspace, network: false, timeoutMs: 600_000 },
  );
  assert.deepEqual(bench.tool("Bash").claim?.({ command: "ls" }), { path: "/", mode: "exclusive" });
});

test("Bash: the command in the summary is one short line", async () => {
  assert.equal((await play("", done, { command: "  a\nb" })).result.summary, "$ a... (no output)");
  assert.equal(
    (await play("", done, { command: "y".repeat(80) })).result.summary,
    `$ ${"y".repeat(80)} (no output)`,
  );
  assert.equal(
    (await play("", done, { command: "y".repeat(81) })).result.summary,
    `$ ${"y".repeat(80)}... (no output)`,
  );
});

test("Bash: bad arguments are refused before anything runs", async () => {
  const table: readonly [JsonObject, RegExp][] = [
    [{}, /"command" of Bash is missing/],
    [{ command: " \n" }, /The command is empty/],
    [{ command: "ls", timeout_s: 0 }, /from 1 to 600/],
    [{ command: "ls", timeout_s: 601 }, /from 1 to 600/],
    [{ command: "ls", timeout: 5 }, /Bash has no argument "timeout": it takes command, timeout_s/],
    [{ command: "x".repeat(commandBytesMax + 1) }, /longer than/],
  ];
  for (const [args, message] of table) {
    await assert.rejects(
      play("", done, args),
      (thrown) => thrown instanceof YoiError && message.test(thrown.message),
    );
  }
  assert.equal((await play("", done, { command: "x".repeat(commandBytesMax) })).commands.length, 1);
});

test("Bash: output up to both limits is whole; one line or one byte more goes to a file that Read shows", async () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");
  assert.equal((await play(lines(inlineLinesMax), done)).result.content, lines(inlineLinesMax).trimEnd());
  const more = await play(lines(inlineLinesMax + 1), done);
  const bytes = lines(inlineLinesMax + 1).length;
  const tail = lines(inlineLinesMax + 1)
    .split("\n")
    .slice(1, -1)
    .join("\n");
  assert.equal(
    more.result.content,
    `[81 lines, ${bytes} bytes in all; the last 80 lines follow; all of it: ${more.path}]\n${tail}`,
  );
  assert.deepEqual(
    { text: more.kept?.text.toString(), mode: more.kept?.mode },
    { text: lines(inlineLinesMax + 1), mode: 0o600 },
  );
  assert.equal(more.read?.content, "     1\tline 1");

  assert.equal((await play("x".repeat(inlineBytesMax), done)).result.content, "x".repeat(inlineBytesMax));
  const wide = await play("é".repeat(inlineBytesMax / 2) + "x", done);
  assert.equal(
    wide.result.content,
    `[1 lines, ${inlineBytesMax + 1} bytes in all; the last 1 lines follow; all of it: ${wide.path}]\n${"é".repeat(inlineBytesMax / 2 - 1)}x`,
  );
});

test("Bash: of endless output both ends are kept and the middle is counted", async () => {
  const chunk = Buffer.alloc(100_000, "0123456789\n");
  const chunks = Array.from({ length: 90 }, () => chunk);
  const { kept, result, path } = await play([...chunks, "end\n"], done);
  const bytes = 90 * 100_000 + 4;
  const missing = bytes - keptHeadBytes - keptTailBytes;
  const marker = `\n[yoi: ${missing} bytes in the middle were not kept]\n`;
  assert.equal(kept?.text.length, keptHeadBytes + keptTailBytes + marker.length);
  assert.equal(kept?.text.toString("latin1", keptHeadBytes, keptHeadBytes + marker.length), marker);
  assert.ok(result.content?.includes(`the first ${keptHeadBytes} and last ${keptTailBytes} bytes: ${path}`));
  assert.ok(result.content?.endsWith("end"));
});

test("Bash: bytes that are not text do not break the result", async () => {
  const { result } = await play([Buffer.from([0x61, 0xff, 0, 0xe2, 0x82]), Buffer.from([0xac, 0x0a])], done);
  assert.equal(result.content, "a\uFFFD\u2400€");
});

test("createCommandOutput: the same whatever the chunks", () => {
  const text = Array.from({ length: 300 }, (_, index) => `${index} ${"é".repeat(index % 90)}`).join("\n");
  const whole = createCommandOutput();
  whole.add(Buffer.from(text));
  const pieces = createCommandOutput();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7) pieces.add(bytes.subarray(at, at + 7));
  assert.deepEqual(
    [pieces.lines, pieces.bytes, pieces.tail(), pieces.kept()],
    [whole.lines, whole.bytes, whole.tail(), whole.kept()],
  );
  assert.equal(whole.lines, 300);
});

test("Bash: live output reaches the observer at a bounded rate, and all of it is reported at the end", async () => {
  const bench = createBench({
    play: async (command) => {
      for (let index = 0; index < 2000; index += 1) command.onOutput(Buffer.from(`${index}\n`));
      return done;
    },
  });
  try {
    await bench.call("Bash", { command: "seq" });
    assert.equal(bench.reports.length, 1);
    assert.ok(bench.reports[0]?.endsWith("1999\n"));
    assert.equal(bench.reports[0]?.length, 4096);
  } finally {
    bench.close();
  }
});

test("Bash: what a filter takes out is neither shown nor kept, and what it held back comes at the end", async () => {
  let held = "";
  const filter = () => ({
    // Holds back all but whole lines.
    add: (piece: Uint8Array) => {
      const all = held + Buffer.from(piece).toString();
      const end = all.lastIndexOf("\n") + 1;
      held = all.slice(end);
      return Buffer.from(all.slice(0, end).replaceAll("secret", "[out]"));
    },
    end: () => Buffer.from(held.replaceAll("secret", "[out]")),
  });
  const lines = Array.from({ length: inlineLinesMax + 1 }, (_, n) => `${n} secret\n`).join("");
  for (const [output, whole] of [
    [["a sec", "ret\nb sec", "ret"], "a [out]\nb [out]"],
    [[lines], null],
  ] as const) {
    held = "";
    const { result, kept } = await play(output, done, { command: "make" }, filter);
    assert.ok(!JSON.stringify(result).includes("secret"));
    if (whole === null) assert.equal(kept?.text.toString(), lines.replaceAll("secret", "[out]"));
    else assert.equal(result.content, whole);
  }
});
