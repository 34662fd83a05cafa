/** A process is known by boot, pid and start time together. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nodeHost } from "../../src/index.ts";
import { livingOf } from "../../src/node/processes.ts";

const statLine = (name: string, state: string) =>
  `4242 (${name}) ${state} 1 4243 4242 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 11 0 987654 1000000 500`;

describe("processes", () => {
  const { processes } = nodeHost();
  const self = processes.self();

  test("start time and group are found behind any name", () => {
    const living = { started: 987654, group: 4243 };
    const cases: [string, typeof living | null][] = [
      [statLine("node", "S"), living],
      [statLine("a b", "R"), living],
      [statLine(") S 1 1 (x", "R"), living],
      [statLine("node", "Z"), null],
      ["", null],
      ["4242 (cut", null],
      ["4242 (cut) S 1", null],
    ];
    assert.deepEqual(
      cases.map(([line]) => livingOf(line)),
      cases.map(([, found]) => found),
    );
  });

  test("this process is alive, and nothing that differs in one part is", () => {
    assert.equal(self.pid, process.pid);
    const others = [
      self,
      { ...self, started: self.started + 1 },
      { ...self, boot: "00000000-0000-0000-0000-000000000000" },
      { ...self, pid: 2 ** 22 + 1 },
      { ...self, pid: 0 },
      { ...self, pid: -1 },
    ];
    assert.deepEqual(
      others.map((other) => processes.isAlive(other)),
      [true, false, false, false, false, false],
    );
  });
});
