/** What is said of a Pod that is ready, and how the one who started it reads that. */
import assert from "node:assert/strict";
import test, { describe } from "node:test";
import { failureObject } from "../../src/output/failure-object.ts";
import { jsonLine } from "../../src/output/json-line.ts";
import {
  parseFailure,
  parseReady,
  type Ready,
  readyJson,
  readyLine,
  readySentence,
} from "../../src/hosting/ready.ts";

const ready: Ready = {
  pod: "review",
  pid: 12,
  socket: "/run/user/1000/yoi/s/c97ace4c8fef",
  state: "paused",
  session_id: "s",
  segment_id: "g",
  log: "/data/hosts/review.log",
  warnings: ["Careful."],
};

describe("ready", () => {
  test("as a line, a sentence and JSON", () => {
    assert.equal(readyLine(ready), "yoi-pod-ready\treview\t12\t/run/user/1000/yoi/s/c97ace4c8fef\n");
    assert.equal(
      readySentence(ready),
      "review is up: pid 12, paused, socket /run/user/1000/yoi/s/c97ace4c8fef, log /data/hosts/review.log\n",
    );
    assert.equal(
      readySentence({ ...ready, log: null }),
      "review is up: pid 12, paused, socket /run/user/1000/yoi/s/c97ace4c8fef\n",
    );
    assert.deepEqual(parseReady(readyJson(ready)), ready);
    assert.deepEqual(parseReady(readyJson({ ...ready, log: null })), { ...ready, log: null });
  });

  test("a failure is not taken for it, nor anything else", () => {
    const failure = failureObject(["--json"], "pod_held", "It is held.");
    assert.ok(failure !== null);
    assert.deepEqual(parseFailure(jsonLine(failure)), { error: "It is held.", code: "pod_held" });
    assert.equal(parseReady(jsonLine(failure)), null);
    assert.equal(parseFailure(readyJson(ready)), null);
    for (const text of ["", "{", "null", "[]", "7", '{"pod":"a"}']) {
      assert.equal(parseReady(text), null, text);
      assert.equal(parseFailure(text), null, text);
    }
    for (const key of Object.keys(ready)) {
      const { [key]: _, ...rest } = { ...ready } as Record<string, unknown>;
      assert.equal(parseReady(JSON.stringify(rest)), null, `without ${key}`);
    }
  });
});
