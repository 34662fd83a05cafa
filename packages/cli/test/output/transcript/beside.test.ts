/** What is said beside the conversation: each thing once, as long as it is the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PanelRow } from "@yoi/base";
import { Beside } from "../../../src/output/transcript/beside.ts";
import { viewOf } from "../../client/view.ts";

const panel = (...rows: readonly PanelRow[]) => ({ feature: "builtin:task", title: "Tasks", rows });
const texts = (blocks: readonly { readonly text: string }[]) => blocks.map(({ text }) => text);

test("a title, a panel and children are said when they are others than before", () => {
  const beside = new Beside();
  const todo = { mark: "todo", text: "look\nhere" } as const;
  const cases: readonly (readonly [Parameters<Beside["live"]>[0], readonly string[]])[] = [
    [{ type: "title", title: null }, []],
    [{ type: "title", title: "the \u001b[31msite" }, ["titled: the \\u001b[31msite"]],
    [{ type: "title", title: "the \u001b[31msite" }, []],
    [{ type: "title", title: null }, ["has no title any more"]],
    [{ type: "panel", panel: panel() }, []],
    [
      { type: "panel", panel: panel(todo, { mark: "doing", text: "a" }, { mark: "note", text: "b" }) },
      ["Tasks:\n[ ] look\nhere\n[>] a\nb"],
    ],
    [{ type: "panel", panel: panel(todo, { mark: "doing", text: "a" }, { mark: "note", text: "b" }) }, []],
    [
      { type: "panel", panel: panel({ mark: "done", text: "a" }, { mark: "dropped", text: "b" }) },
      ["Tasks:\n[x] a\n[-] b"],
    ],
    [{ type: "panel", panel: panel() }, []],
    [
      {
        type: "children",
        children: [
          { name: "one", state: "running", approvals: 0 },
          { name: "two", state: "paused", approvals: 2 },
        ],
      },
      ["child one: running", "child two: paused, 2 calls wait for you"],
    ],
    [
      { type: "children", children: [{ name: "one", state: "running", approvals: 1 }] },
      ["child one: running, 1 call waits for you", "child two: its loan is back"],
    ],
  ];
  for (const [live, said] of cases) assert.deepEqual(texts(beside.live(live)), said, JSON.stringify(live));
});

test("a snapshot says what is other than before a gap, and nothing twice", () => {
  const beside = new Beside();
  const view = {
    ...viewOf(),
    title: "the site",
    panels: [panel({ mark: "todo", text: "look" })],
    children: [{ name: "one", state: "idle", approvals: 0 } as const],
  };
  const all = ["titled: the site", "Tasks:\n[ ] look", "child one: idle"];
  assert.deepEqual(texts(beside.snapshot(view)), all);
  assert.deepEqual(texts(beside.snapshot(view)), []);
  assert.deepEqual(texts(beside.snapshot(viewOf())), [
    "has no title any more",
    "child one: its loan is back",
  ]);
});
