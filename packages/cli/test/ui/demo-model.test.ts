/** The offline demo answers as what it is, with the real scripted model, and so does the call that tries a model. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost, nodeHost } from "@yoi/host";
import { openModel } from "@yoi/model";
import { askModel } from "../../src/ui/ask-model.ts";
import { demoModel, writeDemo } from "../../src/ui/demo-model.ts";

async function opened(text: string) {
  const ports = nodeHost();
  const scenario = { name: "demo.yaml", text };
  return (await openModel({ provider: "scripted", id: "demo.yaml", scenario, ports })).model;
}

test("the demo is a scenario that the scripted model takes, and says that no model answers", async () => {
  const { files } = memoryHost({ seed: 1 });
  const path = await writeDemo(files, "/data");
  assert.equal(demoModel("/data"), `scripted/${path}`);
  const text = Buffer.from((await files.read(path)) ?? []).toString("utf8");
  const said = await askModel(
    await opened(text.replace("pace_ms: 20", "pace_ms: 0")),
    new AbortController().signal,
  );
  assert.match(said, /^This is the \*\*offline demo\*\*/);
});

test("what is said is the text alone; a failure is its sentence, and nothing is tried again", async () => {
  const signal = new AbortController().signal;
  const model = await opened(
    'steps:\n  - { reasoning: "hm", text: " ready ", tool_calls: [{ name: Bash, arguments: { command: ls } }] }\n',
  );
  assert.equal(await askModel(model, signal), "ready");
  const failing = await opened(
    'steps:\n  - retries: [{ wait_ms: 5, failure: { kind: overloaded, message: "Full." } }]\n    text: "ready"\n',
  );
  await assert.rejects(askModel(failing, signal), /Full\./);
});
