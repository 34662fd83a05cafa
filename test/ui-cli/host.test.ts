/** The terminal's door to the machine, over real processes: a Pod begun, followed, left, stopped, restored and forked. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { PodRow } from "@yoi/tui";
import { tempHome } from "../support/temp-home.ts";
import { uiHost } from "./machine.ts";

const standingOf = (rows: readonly PodRow[], name: string) => rows.find((row) => row.name === name)?.standing;

test("the offline demo is chosen, begins a Pod that is followed, titled, forked, exported, stopped and restored", async () => {
  using home = tempHome();
  const host = uiHost(home);
  assert.match((await host.firstRun.needed()) ?? "", /There is no key for Anthropic/);
  const demo = (await host.firstRun.providers()).at(-1)?.models[0] ?? "";
  assert.match(await host.firstRun.test(demo, null, new AbortController().signal), /offline demo/);
  assert.ok(existsSync(await host.firstRun.keepModel(demo)));
  assert.equal(existsSync(join(home.home, "config", "config.toml")), false, "the demo is kept nowhere");

  const { name } = await host.pods.start(null, {});
  const kinds: string[] = [];
  const completed = Promise.withResolvers<void>();
  const caughtUp = Promise.withResolvers<void>();
  const link = await host.pods.attach(
    name,
    {
      entry: ({ kind }) => {
        kinds.push(kind);
        if (kind === "run_completed") completed.resolve();
      },
      snapshot: () => {
        kinds.push("(snapshot)");
        caughtUp.resolve();
      },
      live: () => {},
    },
    { tail: 2 },
  );
  await caughtUp.promise;
  const parts = [{ type: "text", text: "hello" }] as const;
  await link.submit("submit", { parts, submission: host.newId() });
  await completed.promise;
  // Of five entries two are told, then what comes.
  assert.deepEqual(kinds.slice(0, 5), ["tools_changed", "extension", "(snapshot)", "invoke", "user_input"]);

  await host.pods.setTitle(name, "the demo");
  const [row] = await host.pods.list();
  assert.deepEqual(
    [row?.name, row?.title, row?.standing, row?.model, row?.workspace],
    [name, "the demo", "idle", demo, home.workspace],
  );
  assert.match(row?.lastLine ?? "", /Type another prompt/);
  const { segment, seq } = await link.call("show", {});
  const before = await host.pods.before(name, { segment, seq: seq + 1 }, 2);
  assert.deepEqual(
    before.map(({ entry }) => entry.kind),
    ["turn_end", "run_completed"],
  );
  assert.match(
    (await host.page("hooks", name)).text,
    /^POINT +HOOK +FEATURE\n[^]*builtin:[^]*\nFEATURE +VERSION/,
  );
  for (const page of ["usage", "context", "diff", "permissions"] as const)
    assert.notEqual((await host.page(page, name)).text, "", page);
  await assert.rejects(host.page("diff", null), /No Pod is open/);

  const fork = await host.pods.fork(name, null);
  const path = await host.pods.export(name);
  assert.equal(path, join(home.workspace, `${name}.tar`));
  assert.equal(
    await host.pods.export(name),
    join(home.workspace, `${name}-2.tar`),
    "what is there is left alone",
  );

  assert.deepEqual(await host.pods.restore(name, {}), [], "one that is hosted goes on as it is");
  await host.pods.stop(name);
  assert.equal(await link.closed, null, "it was shut down");
  const stopped = await host.pods.list();
  assert.deepEqual([standingOf(stopped, name), standingOf(stopped, fork)], ["stopped", "stopped"]);
  await host.pods.setTitle(name, null);
  await host.pods.restore(name, {});
  const [again] = await host.pods.list();
  assert.deepEqual([again?.name, again?.title, again?.standing], [name, null, "idle"]);
  await assert.rejects(host.pods.start(name, {}), /There is a Pod named/);
  await host.pods.stop(name);
});

test("a key goes to the store of secrets, a model to the user's file, and then nothing is needed any more", async () => {
  using home = tempHome();
  const host = uiHost(home);
  await assert.rejects(host.firstRun.keepKey("anthropic", " \n"), /The key is empty/);
  await assert.rejects(host.firstRun.keepKey("scripted", "x"), /takes no key/);
  await host.firstRun.keepKey("openai", "sk-test-0123456789abcdef\n");
  assert.match(
    (await host.firstRun.needed()) ?? "",
    /There is no key for Anthropic/,
    "another model is chosen",
  );
  const path = await host.firstRun.keepModel("openai/gpt-5.2");
  assert.equal(path, join(home.home, "config", "config.toml"));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(await host.firstRun.needed(), null);
  const openai = (await host.firstRun.providers()).find(({ name }) => name === "openai");
  assert.deepEqual([openai?.keyIn, openai?.takesKey], ["secret providers/openai/default", true]);
  assert.equal(await host.firstRun.keepModel("openai/gpt-5.1"), path, "another one can be chosen later");
  assert.match(readFileSync(path, "utf8"), /^ref = "openai\/gpt-5\.1"$/m);
});
