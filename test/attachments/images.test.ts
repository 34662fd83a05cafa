/** Images by Read: in the log for good, in a blob where they are large, and on the wire only for a model that sees them. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pngOf } from "../../packages/tools/test/pictures.ts";
import { type Answer, startAnthropicServer } from "../support/anthropic-server.ts";
import { modelList, startOpenAiCompatibleServer } from "../support/openai-compatible-server.ts";
import type { ProviderServer } from "../support/provider-server.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";
import { call, command, done, logLines, play, pod, results } from "./place.ts";

test("a small image lies in its entry, a large one in a blob; both are there after a restart, and verify proves the requests", async () => {
  using home = tempHome();
  const at = (name: string) => join(home.workspace, name);
  const large = pngOf(1920, 1080, 2_000_000);
  writeFileSync(at("small.png"), pngOf(3, 4));
  writeFileSync(at("large.png"), large);
  const steps = [
    {
      tool_calls: ["small", "large"].map((name) => ({
        name: "Read",
        arguments: { file_path: at(`${name}.png`) },
      })),
    },
    {
      expect: {
        results: [
          { name: "Read", error: false, contains: ["3 x 4 pixels"] },
          { name: "Read", error: false, contains: [`PNG, ${large.length} bytes, 1920 x 1080 pixels`] },
        ],
      },
      text: "Seen.",
    },
    call("Nothing", {}),
    { text: "Still there." },
  ];
  await done(play(home, steps, "look"));
  for (const name of ["small.png", "large.png"]) rmSync(at(name));
  await done(play(home, steps, "and again"));
  const [small, moved] = logLines(home).filter(({ kind }) => kind === "tool_result");
  assert.deepEqual(results(home)[0]?.images, [
    { type: "image", media_type: "image/png", data: pngOf(3, 4).toString("base64") },
  ]);
  assert.ok(small !== undefined && moved !== undefined && "blob" in Object(moved["item"]));
  const requests = logLines(home).filter(({ kind }) => kind === "llm_request");
  const bytes = requests.map(({ wire }) => (wire as { bytes: number }).bytes);
  assert.ok(
    bytes.slice(1).every((size) => size > large.length),
    `each later request holds the image: ${bytes.join(", ")}`,
  );
  const log = (await command(home, "pod", "log", pod)).stdout;
  assert.match(log, /Read the image ".*large\.png" \(PNG, .* 1920 x 1080 pixels\) \(1 image\)$/m);
  const { stdout } = await command(home, "pod", "verify", pod, "--wire", "--json");
  const report = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  assert.deepEqual([report["ok"], report["requests"], report["wire_checked"]], [true, 4, 4]);
});

const flags = (model: string, url: string) => ["--pod", pod, "-m", model, "--base-url", url];

/** Attaches an image, and has the model read another one: the bodies of both requests. */
async function bodiesOf(home: TempHome, model: string, server: ProviderServer): Promise<readonly string[]> {
  writeFileSync(join(home.workspace, "one.png"), pngOf(3, 4));
  writeFileSync(join(home.workspace, "two.png"), pngOf(5, 6));
  const env = { ...home.env, ANTHROPIC_API_KEY: "test" };
  try {
    const args = ["run", "look at @one.png", ...flags(model, server.url)];
    await done(runYoi(args, { env, cwd: home.workspace }));
  } finally {
    await server.close();
  }
  const report = JSON.parse((await command(home, "pod", "verify", pod, "--wire", "--json")).stdout) as {
    readonly ok: boolean;
    readonly wire_checked: number;
  };
  assert.deepEqual([report.ok, report.wire_checked], [true, 2]);
  return server.requests.filter(({ method }) => method === "POST").map(({ raw }) => raw.toString("utf8"));
}

const answers = (home: TempHome): Answer[] => [
  {
    blocks: [{ type: "tool_call", name: "Read", arguments: { file_path: join(home.workspace, "two.png") } }],
  },
  { blocks: [{ type: "text", text: "Seen." }] },
];
const [one, two] = [pngOf(3, 4).toString("base64"), pngOf(5, 6).toString("base64")];

test("a model that sees images is sent them: the attached one behind the input, the read one with its result", async () => {
  using home = tempHome();
  const server = await startAnthropicServer({ answers: answers(home) });
  const bodies = await bodiesOf(home, "anthropic/claude-sonnet-4-5", server);
  assert.deepEqual(
    bodies.map((body) => [body.includes(one), body.includes(two), body.includes("5 x 6 pixels")]),
    [
      [true, false, false],
      [true, true, true],
    ],
  );
});

test("a model that sees none is told what the files are, and none is put in the log", async () => {
  using home = tempHome();
  const server = await startOpenAiCompatibleServer({ models: modelList(["local"]), answers: answers(home) });
  const bodies = await bodiesOf(home, "openai-compatible/local", server);
  for (const body of bodies) {
    assert.ok(!body.includes(one) && !body.includes(two));
    assert.ok(body.includes("3 x 4 pixels; it is not shown, because the model does not see images"));
  }
  assert.match(
    bodies[1] ?? "",
    /5 x 6 pixels\): it is not shown, because the model in use does not see images/,
  );
  assert.deepEqual(results(home)[0]?.images, undefined);
  assert.ok(!logLines(home).some((line) => JSON.stringify(line).includes(one)));
});
