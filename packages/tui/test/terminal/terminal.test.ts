/** The terminal as it is taken and given back, with streams in the place of a real one. */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import type { InputEvent } from "../../src/keys/key-event.ts";
import { capabilitiesOf, type Environment } from "../../src/terminal/capabilities.ts";
import { burstCharsMin } from "../../src/terminal/input.ts";
import { copyBytesMax, enterAlternate } from "../../src/terminal/modes.ts";
import { openTerminal } from "../../src/terminal/terminal.ts";
import { emulator } from "../support/emulator.ts";

class FakeInput extends EventEmitter {
  isRaw = false;
  isFlowing = false;
  setRawMode(isRaw: boolean): void {
    this.isRaw = isRaw;
  }
  setEncoding(): void {}
  resume(): void {
    this.isFlowing = true;
  }
  pause(): void {
    this.isFlowing = false;
  }
}

class FakeOutput extends EventEmitter {
  columns = 80;
  rows = 24;
  written = "";
  takes = true;
  write(bytes: string): boolean {
    this.written += bytes;
    return this.takes;
  }
}

class FakeProgram extends EventEmitter {
  readonly raised: string[] = [];
  raise(signal: string): void {
    this.raised.push(signal);
  }
}

function rig(env: Environment = { TERM: "xterm-256color" }) {
  const input = new FakeInput();
  const output = new FakeOutput();
  const program = new FakeProgram();
  const due: (() => void)[] = [];
  const timers = {
    after: (_ms: number, fire: () => void) => {
      due.push(fire);
      return () => void due.splice(due.indexOf(fire), 1);
    },
  };
  const terminal = openTerminal({ input, output, program, timers, capabilities: capabilitiesOf(env) });
  const events: InputEvent[] = [];
  terminal.onInput((event) => events.push(event));
  const keys = () => events.splice(0).map((event) => (event.type === "key" ? event.key : event));
  const written = () => {
    const bytes = output.written;
    output.written = "";
    return bytes;
  };
  return { input, output, program, due, terminal, keys, written };
}

const taken = "\u001b[22;2t\u001b[?2004h\u001b[?1004h\u001b[>5u\u001b[?u\u001b[c";
const given =
  "\u001b[?2026l\u001b[<u\u001b[>4;0m\u001b[?1004l\u001b[?2004l\u001b[?7h\u001b[0m\u001b[?25h\u001b[23;2t";

test("it is taken raw and given back as it was, once", () => {
  const { input, program, terminal, written } = rig();
  assert.deepEqual([written(), input.isRaw, input.isFlowing], [taken, true, true]);
  terminal.close();
  terminal.close();
  terminal.write("late");
  assert.deepEqual([written(), input.isRaw, input.isFlowing], [given, false, false]);
  assert.deepEqual(program.eventNames(), []);
});

test("suspended it is another program's: nothing is read and nothing written", () => {
  const { input, program, terminal, keys, written } = rig();
  terminal.setTitle("a");
  written();
  terminal.suspend();
  assert.deepEqual(
    [written(), input.isRaw, input.isFlowing, program.eventNames()],
    [given, false, false, []],
  );
  terminal.write("x");
  input.emit("data", "k");
  assert.deepEqual([written(), keys()], ["", []]);
  terminal.resume();
  input.emit("data", "k");
  assert.deepEqual([written(), input.isRaw, keys()], [`${taken}\u001b]2;a\u0007`, true, ["k"]]);
});

test("however the program ends, the terminal is given back", () => {
  for (const how of ["exit", "uncaughtExceptionMonitor", "SIGTERM", "SIGHUP", "SIGINT"]) {
    for (const [screen, gone] of [
      ["", "(erased)"],
      [enterAlternate, "\u001b[<u\u001b[?1049l\u001b[?25h"],
    ] as const) {
      const { input, program, terminal, written } = rig();
      terminal.onAbandon(() => "(erased)");
      terminal.write(screen);
      written();
      program.emit(how);
      program.emit("exit");
      assert.deepEqual([how, written(), input.isRaw], [how, gone + given, false]);
      assert.deepEqual(program.raised, how.startsWith("SIG") ? [how] : []);
    }
  }
});

test("after it was stopped from outside it is taken again, and that is told", () => {
  const { program, terminal, written } = rig();
  let continued = 0;
  terminal.onContinue(() => (continued += 1));
  written();
  program.emit("SIGCONT");
  assert.deepEqual([written(), continued], [taken, 1]);
});

test("a terminal that is gone is told of once, and written to no more", () => {
  const { input, output, program, terminal, written } = rig();
  const ends: string[] = [];
  terminal.onEnd((why) => ends.push(why));
  output.emit("error", new Error("write EIO"));
  input.emit("end");
  program.emit("SIGCONT");
  written();
  terminal.write("x");
  assert.deepEqual([ends, written()], [["the terminal cannot be reached: write EIO"], ""]);
  for (const [event, why] of [
    ["end", "the input of the terminal ended"],
    ["close", "the input of the terminal ended"],
  ] as const) {
    const other = rig();
    const told: string[] = [];
    other.terminal.onEnd((text) => told.push(text));
    other.input.emit(event);
    assert.deepEqual(told, [why]);
  }
});

test("a size that is not known is 80x24", () => {
  const { output, terminal } = rig();
  const sizes: unknown[] = [];
  terminal.onResize((size) => sizes.push(size));
  Object.assign(output, { columns: 0, rows: 0 });
  output.emit("resize");
  Object.assign(output, { columns: 100, rows: 30 });
  output.emit("resize");
  assert.deepEqual(sizes, [
    { columns: 80, rows: 24 },
    { columns: 100, rows: 30 },
  ]);
});

test("a terminal that does not keep up says when it does", () => {
  const { output, terminal } = rig();
  let drained = 0;
  terminal.onDrain(() => (drained += 1));
  output.takes = false;
  terminal.write("x");
  assert.equal(terminal.isDrained, false);
  output.emit("drain");
  assert.deepEqual([terminal.isDrained, drained], [true, 1]);
});

test("the keyboard is asked what it knows, and what it answers is no key", () => {
  const { input, keys, written } = rig();
  written();
  input.emit("data", "\u001b[?62;22c");
  assert.deepEqual([written(), keys()], ["\u001b[>4;2m", []]);
  const other = rig();
  other.written();
  other.input.emit("data", "\u001b[?5u\u001b[?62;22ca");
  assert.deepEqual([other.written(), other.keys()], ["", ["a"]]);
});

test("keys arrive one by one, whole however they are cut", () => {
  const { input, keys } = rig();
  input.emit("data", "a🙂\u001b[1;");
  input.emit("data", "5C\u001bbc");
  assert.deepEqual(keys(), ["a", "🙂", "ctrl+right", "alt+b", "c"]);
});

test("a paste is one event, whatever is in it and however it is cut", () => {
  const { input, keys } = rig();
  for (const piece of ["x\u001b[20", "0~one\r\ntw", "o\rthree\u001b[A\u0003\u001b[20", "1~y"])
    input.emit("data", piece);
  assert.deepEqual(keys(), ["x", { type: "paste", text: "one\ntwo\nthree\u001b[A\u0003" }, "y"]);
});

test("an escape before a sequence is Alt where both arrive at once, and a key of its own before anything else", () => {
  const { input, keys } = rig();
  const arrived = (...chunks: readonly string[]) => {
    for (const chunk of chunks) input.emit("data", chunk);
    return keys();
  };
  assert.deepEqual(arrived("\u001b\u001b[A"), ["alt+up"]);
  assert.deepEqual(arrived("a\u001b\u001bOA\u001b\u001b[3~b"), ["a", "alt+up", "alt+delete", "b"]);
  assert.deepEqual(arrived("\u001b\u001b", "\u001b[A"), ["escape", "escape", "up"]);
  // WezTerm says a pressed Esc in the old way, and that it was let go in the new one.
  assert.deepEqual(arrived("\u001b\u001b[27;1:3u", "x"), ["escape", "x"]);
});

test("a paste without an end does not take the keys for ever", () => {
  const { input, due, keys } = rig();
  input.emit("data", "\u001b[200~one");
  input.emit("data", "two");
  assert.deepEqual([keys(), due.length], [[], 1]);
  due[0]?.();
  input.emit("data", "k");
  assert.deepEqual(keys(), [{ type: "paste", text: "onetwo" }, "k"]);
});

test("much text at once is a paste also where the terminal does not say so", () => {
  const { input, keys } = rig();
  const burst = "ab\r".repeat(Math.ceil(burstCharsMin / 3));
  input.emit("data", burst);
  assert.deepEqual(keys(), [{ type: "paste", text: burst.replaceAll("\r", "\n") }]);
  input.emit("data", "a".repeat(burstCharsMin - 1));
  assert.equal(keys().length, burstCharsMin - 1);
});

test("a megabyte is pasted in one event", () => {
  const { input, keys } = rig();
  const text = "line of text 日本\n".repeat(65_536);
  const whole = `\u001b[200~${text}\u001b[201~`;
  for (let at = 0; at < whole.length; at += 65_536) input.emit("data", whole.slice(at, at + 65_536));
  assert.deepEqual(keys(), [{ type: "paste", text }]);
});

test("titles, notifications and the clipboard carry text and nothing else", () => {
  const { terminal, written } = rig({ TERM: "xterm-kitty" });
  written();
  const hostile = "a\u001b]2;b\u0007\nc; d";
  terminal.setTitle(hostile);
  terminal.setTitle(hostile);
  terminal.notify(hostile);
  assert.equal(
    written(),
    "\u001b]2;a\\u001b]2;b\\u0007 c; d\u0007\u0007\u001b]9;yoi: a\\u001b]2,b\\u0007 c, d\u0007",
  );
  assert.deepEqual([terminal.copy("héllo"), written()], [true, "\u001b]52;c;aMOpbGxv\u0007"]);
  assert.deepEqual([terminal.copy("x".repeat(copyBytesMax)), written().length], [true, 100_000]);
  assert.deepEqual([terminal.copy("x".repeat(copyBytesMax + 1)), written()], [false, ""]);
  terminal.setTitle(null);
  assert.equal(written(), "\u001b]2;\u0007");
  const vte = rig({ TERM: "xterm-256color", VTE_VERSION: "7000" });
  vte.written();
  vte.terminal.notify("x");
  assert.equal(vte.written(), "\u0007\u001b]777;notify;yoi;yoi: x\u0007");
});

test("a real terminal takes all of it, and shows none of it", () => {
  const { terminal, written } = rig({ TERM: "xterm-kitty" });
  const shown = emulator(40, 4);
  terminal.setTitle("my title");
  terminal.notify("hello");
  terminal.copy("text");
  shown.write(written());
  assert.deepEqual([shown.text(), shown.title, shown.isAlternate], [[], "my title", false]);
  terminal.write(enterAlternate);
  shown.write(written());
  assert.equal(shown.isAlternate, true);
  terminal.close();
  shown.write(written());
  assert.deepEqual([shown.text(), shown.isAlternate], [[], false]);
});
