/** Import: everything of an old layout is found again, in its ticket, whatever it held and whenever the import was killed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createTicketStore } from "../../src/index.ts";
import { deskOf, hare, type Odd, readTree, root } from "../doctor/tree.ts";
import { assertAllComesIn, planted, stands } from "./all-comes-in.ts";
import { oldRoot, type OldTicket, oldTrees, plain } from "./old-tree.ts";

const seed = 20;

test("two tickets of one second come in under the ids that they always had", async () => {
  const { store, host } = await planted([
    plain("plugin-feature-contribution-registry"),
    plain("hook-public-surface-hardening"),
  ]);
  const old = await readTree(host, oldRoot);
  const report = await store.importOld(oldRoot, hare);
  assert.deepEqual(report, {
    imported: [
      {
        id: "00001KT6Q08R8",
        title: "About: hook-public-surface-hardening",
        from: "closed/20260603-122317-hook-public-surface-hardening",
        events: 3,
        artifacts: 1,
      },
      {
        id: "00001KT6Q08R9",
        title: "About: plugin-feature-contribution-registry",
        from: "closed/20260603-122317-plugin-feature-contribution-registry",
        events: 3,
        artifacts: 1,
      },
    ],
    known: [],
    refused: [],
  });
  assert.deepEqual(await readTree(host, oldRoot), old, "the old folders are as they were");
  const { events, fields, body, state, resolution, created_at } = await store.show("00001KT6Q08R9");
  const at = "2026-06-03T12:23:17Z";
  assert.deepEqual(
    { fields, body, state, resolution, created_at, events },
    {
      fields: {
        kind: "task",
        priority: "P2",
        labels: ["a", "b"],
        assignee: null,
        legacy: {
          id: "20260603-122317-plugin-feature-contribution-registry",
          slug: "plugin-feature-contribution-registry",
          status: "closed",
          legacy_ticket: null,
          from: "closed/20260603-122317-plugin-feature-contribution-registry",
        },
      },
      body: "## Background\n\nTBD",
      state: "closed",
      resolution: "It works.",
      created_at: at,
      events: [
        {
          id: "00001KT6Q08R8",
          kind: "create",
          author: "tickets.sh",
          role: null,
          at,
          body: "Created by tickets.sh create.",
        },
        {
          id: "00001KT6Q08R9",
          kind: "fix",
          author: "Anna Maria",
          role: null,
          at,
          body: "## Parent-side validation fix\n\nDone.",
        },
        {
          id: "00001KT6Q08RA",
          kind: "close",
          author: "hare",
          role: null,
          at,
          status: "closed",
          body: "It works.",
        },
        {
          id: "00001KTQD8A00",
          kind: "migration",
          ...hare,
          at: "2026-06-10T00:00:00.000Z",
          to: "closed",
          reason: "closed/20260603-122317-plugin-feature-contribution-registry of an old layout",
          body: "",
        },
      ],
    },
  );
});

test(`nothing of an old layout is lost, and doctor finds nothing afterwards (10 trees, seed ${seed})`, () =>
  fc.assert(fc.asyncProperty(oldTrees, assertAllComesIn), { seed, numRuns: 10 }));

interface Refusal {
  readonly name: string;
  readonly tickets: readonly OldTicket[];
  readonly odd?: Odd;
  readonly refused: readonly string[];
}

const folder = `${oldRoot}/closed/20260603-122317-one`;
const refusals: readonly Refusal[] = [
  {
    name: "a link for a ticket",
    tickets: [plain("one")],
    odd: { [folder]: "link" },
    refused: [
      `closed/20260603-122317-one did not come in: ${folder} is a symbolic link, and none is followed to tickets: put what it points to in its place.`,
    ],
  },
  {
    name: "a linked artifact",
    tickets: [plain("one")],
    odd: { [`${folder}/artifacts/review.md`]: "link" },
    refused: [
      "closed/20260603-122317-one did not come in: artifacts/review.md is a symbolic link, and none is followed.",
    ],
  },
  {
    name: "a pipe",
    tickets: [plain("one")],
    odd: { [`${folder}/thread.md`]: "other" },
    refused: ["closed/20260603-122317-one did not come in: thread.md is neither a file nor a folder."],
  },
  {
    name: "no time at all",
    tickets: [plain("one", { name: "one", createdAt: "yesterday" })],
    refused: [
      "closed/one did not come in: neither its item.md (created_at) nor its name says when it was created.",
    ],
  },
  {
    name: "one name in two buckets",
    tickets: [plain("one"), plain("one", { bucket: "open" })],
    refused: [
      "open/20260603-122317-one did not come in: the same name is in open and closed; keep one of them.",
      "closed/20260603-122317-one did not come in: the same name is in open and closed; keep one of them.",
    ],
  },
];

for (const { name, tickets, odd, refused } of refusals)
  test(`refused, and the others come in: ${name}`, async () => {
    const { host, store } = await planted([...tickets, plain("other")], odd);
    const report = await store.importOld(oldRoot, hare);
    assert.deepEqual(report.refused, refused);
    assert.deepEqual(
      report.imported.map(({ from }) => from),
      ["closed/20260603-122317-other"],
    );
    const ids = new Set(Object.keys(await stands(host)).map((path) => path.split("/")[0]));
    assert.deepEqual([...ids], [".gitattributes", ".gitignore", report.imported[0]?.id]);
  });

test("buckets within the root, and headers of the months between, come in as well", async () => {
  const { host } = await planted([]);
  const folder = `${root}/open/20260606-101112-between`;
  const header =
    'state_changed author: "workspace panel" at: 2026-06-06T10:11:13Z from: ready to: queued reason: "it is \\"ready\\"" field: state';
  const texts = {
    "item.md":
      "---\ntitle: 'Between'\nstate: 'queued'\ncreated_at: '2026-06-06T10:11:12Z'\nrisk_flags: ['cli-ux']\n---\nText.\n",
    "thread.md": `<!-- event: ${header} -->\n\n## State changed\n\nOne line.\n\n---\n`,
    "notes.txt": "Loose.",
  };
  await host.files.makeDirectory(folder);
  for (const [name, text] of Object.entries(texts))
    await host.files.replace(`${folder}/${name}`, Buffer.from(text));
  const store = createTicketStore(deskOf(host));
  const { imported } = await store.importOld(root, hare);
  const id = imported[0]?.id ?? "";
  const { events, ...ticket } = await store.show(id);
  assert.deepEqual(
    { ...ticket, event: events[0] },
    {
      id: "00001KTE6MJG0",
      title: "Between",
      state: "ready",
      created_at: "2026-06-06T10:11:12Z",
      updated_at: "2026-06-10T00:00:00.000Z",
      blocked_by: [],
      review: null,
      fields: {
        risk_flags: ["cli-ux"],
        legacy: { state: "queued", id: "20260606-101112-between", from: "open/20260606-101112-between" },
      },
      body: "Text.",
      relations: [],
      related_from: [],
      resolution: null,
      artifacts: ["legacy/item.md", "legacy/notes.txt", "legacy/thread.md"],
      event: {
        id: "00001KTE6MKF8",
        kind: "state_changed",
        author: "workspace panel",
        role: null,
        at: "2026-06-06T10:11:13Z",
        from: "ready",
        to: "queued",
        reason: 'it is "ready"',
        other: { field: "state" },
        body: "One line.",
      },
    },
  );
  const files = await stands(host);
  for (const [name, text] of Object.entries(texts))
    assert.equal(files[`${id}/artifacts/legacy/${name}`], text);
  assert.deepEqual((await store.doctor({ fix: false })).problems, []);
});

test("what is no old layout is said to be none, and a model brings in nothing", async () => {
  const { host, store } = await planted([]);
  await assert.rejects(store.importOld("/w/nothing", hare), { code: "usage" });
  await assert.rejects(store.importOld("/w", hare), { code: "usage" });
  const linked = createTicketStore(deskOf(host, { [oldRoot]: "link" }));
  await assert.rejects(linked.importOld(oldRoot, hare), { code: "permission_denied" });
  await assert.rejects(store.importOld(oldRoot, { author: "lead", role: "orchestrator" }), {
    code: "ticket_refused",
  });
});

test("what was begun and written into since is not overwritten", async () => {
  const { host, store } = await planted([plain("one")]);
  const { imported } = await store.importOld(oldRoot, hare);
  const id = imported[0]?.id ?? "";
  await host.files.removeFile(`${root}/${id}/thread.md`);
  // No verb writes into it: it is no ticket yet.
  await assert.rejects(store.add(id, { kind: "comment", body: "I was here." }, hare), {
    code: "ticket_unknown",
  });
  await host.files.replace(
    `${root}/${id}/thread.md`,
    Buffer.from("<!-- event: comment author: hare at: 2026-06-03T12:23:18Z -->\n\nI was here.\n"),
  );
  const before = await stands(host);
  const report = await store.importOld(oldRoot, hare);
  assert.deepEqual(report, {
    imported: [],
    known: [],
    refused: [
      `closed/20260603-122317-one did not come in: ticket ${id} is what an import that was killed left of it, and has events since; move that folder away, run this again, and write them anew.`,
    ],
  });
  assert.deepEqual(await stands(host), before);
});

test("a ticket that came in goes on as any other", async () => {
  const { store } = await planted([plain("one"), plain("two", { bucket: "open" })]);
  const { imported } = await store.importOld(oldRoot, hare);
  const [one = { id: "" }, two = { id: "" }] = imported;
  await store.reopen(one.id, "It does not work.", hare);
  await store.transition(two.id, { to: "queued" }, hare);
  await store.link(two.id, { relation: "follows", target: one.id }, hare);
  assert.deepEqual((await store.doctor({ fix: false })).problems, []);
  assert.equal((await store.show(one.id)).resolution, null);
});

test("an artifact that may be run may be run, and no other", async () => {
  const artifacts = { "run.sh": Buffer.from("#!/bin/sh\n"), "deep/review.md": Buffer.from("Fine.") };
  const { host, store } = await planted([plain("one", { artifacts })]);
  const run = `${oldRoot}/closed/20260603-122317-one/artifacts/run.sh`;
  await host.files.replace(run, artifacts["run.sh"], { executable: true });
  const { imported } = await store.importOld(oldRoot, hare);
  const folder = `${root}/${imported[0]?.id}`;
  const isExecutable = async (path: string) => (await host.files.stat(`${folder}/${path}`))?.executable;
  assert.deepEqual(
    await Promise.all(
      ["artifacts/run.sh", "artifacts/deep/review.md", "item.md", "thread.md"].map(isExecutable),
    ),
    [true, false, false, false],
  );
});

test("a day that there is not is none: the name says the time, and what was said stays beside the ticket", async () => {
  const { host, store } = await planted([plain("one", { createdAt: "2026-02-30T12:23:17Z" })]);
  const { imported } = await store.importOld(oldRoot, hare);
  const id = imported[0]?.id ?? "";
  assert.equal((await store.show(id)).created_at, "2026-06-03T12:23:17.000Z");
  assert.match(
    (await stands(host))[`${id}/artifacts/legacy/item.md`] ?? "",
    /^created_at: 2026-02-30T12:23:17Z$/m,
  );
});
