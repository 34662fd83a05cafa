/** Images by Read: in the log for good, in a blob where they are large, and on the wire only for a model that sees them. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pngOf } from "../../packages/tools/test/pictures.ts";
import { tempHome } from "../support/temp-home.ts";
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
