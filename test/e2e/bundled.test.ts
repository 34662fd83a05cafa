/** The bundle that `npm ci` builds, without the sources beside it: what it starts beside itself is found, and what a build takes the place of stays. */
import assert from "node:assert/strict";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import config, { buildsKept, earlierBuilds } from "../../rolldown.config.ts";
import { licensesFileName, packageFolder } from "../../scripts/third-party-licenses.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";

const streamed = ["--output-format", "stream-json"];
const repository = fileURLToPath(new URL("../../", import.meta.url));

/** By what the source maps say, and not by what the build was told. */
function assertLicenses(dist: string): void {
  const licenses = readFileSync(join(dist, licensesFileName), "utf8");
  const folders = new Set<string>();
  for (const map of readdirSync(dist).filter((name) => name.endsWith(".map"))) {
    const { sources } = JSON.parse(readFileSync(join(dist, map), "utf8")) as {
      readonly sources: readonly string[];
    };
    for (const source of sources) {
      const [inner] = packageFolder(join(repository, source.replace(/^.*?node_modules\//, "node_modules/")));
      if (source.includes("node_modules/") && inner !== undefined) folders.add(inner);
    }
  }
  assert.ok(folders.size > 30, String(folders.size));
  for (const folder of folders) {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
      string,
      string
    >;
    const [, section = ""] = licenses.split(`\n${name}@${version} (`);
    assert.match(section.slice(0, 2_000), /permi|license|copyright/i, folder);
  }
}

test("a page is converted in its thread, also from the bundle, which has the licence of each package in it", async () => {
  const root = mkdtempSync(join(tmpdir(), "yoi-bundled-"));
  using home = tempHome();
  const story = "Once upon a time there was a page with enough words, to count as one. ".repeat(20);
  const server = createServer((_, response) =>
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(`<title>T</title><nav>no</nav><article><h1>T</h1><p>${story}</p></article>`),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  try {
    const cli = join(root, "packages/cli");
    mkdirSync(cli, { recursive: true });
    const { files } = JSON.parse(readFileSync(join(repository, "packages/cli/package.json"), "utf8")) as {
      readonly files: readonly string[];
    };
    for (const name of [...files.filter((file) => file !== "dist"), "package.json"])
      cpSync(join(repository, "packages/cli", name), join(cli, name), { recursive: true });
    symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
    const { output, ...input } = config;
    await build({ ...input, cwd: repository, output: { ...output, dir: join(cli, "dist") } });
    assertLicenses(join(cli, "dist"));
    mkdirSync(join(home.home, "config"), { recursive: true });
    writeFileSync(
      join(home.home, "config/config.toml"),
      "[web]\nenabled = true\nallow_private_addresses = true\n",
    );
    const url = `http://127.0.0.1:${address.port}/`;
    const scenario = {
      steps: [{ tool_calls: [{ name: "WebFetch", arguments: { url } }] }, { text: "done" }],
    };
    writeFileSync(join(root, "web.yaml"), JSON.stringify(scenario));
    const { code, stdout, stderr } = await runYoi(
      ["run", "go", "-m", `scripted/${join(root, "web.yaml")}`, "--sandbox", "off", ...streamed],
      { env: home.env, cwd: home.workspace, command: join(cli, "bin/yoi") },
    );
    assert.equal(code, 0, stderr);
    const result = stdout
      .split("\n")
      .filter((line) => line.includes("tool_result"))
      .join("\n");
    assert.match(result, /Title: T\\n\\n## T\\n\\nOnce upon/);
    assert.doesNotMatch(result, /bare text|could not/);
    // What is published has the skills that its profiles name.
    const shown = await runYoi(["skill", "show", "ticket-review"], {
      env: home.env,
      cwd: home.workspace,
      command: join(cli, "bin/yoi"),
    });
    assert.match(
      shown.stdout,
      /^ticket-review\nsource: builtin\npath: .*\/packages\/cli\/skills\/ticket-review\/SKILL\.md\n/,
    );
    assert.ok(shown.stdout.includes(`path: ${root}/`), shown.stdout);
  } finally {
    server.close();
    rmSync(root, { recursive: true });
  }
});

test("a build keeps the parts of so many others before it, and nothing else", () => {
  const dir = mkdtempSync(join(tmpdir(), "yoi-builds-"));
  const write = earlierBuilds.writeBundle;
  assert.ok(typeof write === "function");
  const after = (...parts: readonly string[]): readonly string[] => {
    for (const part of parts) writeFileSync(join(dir, part), "");
    write.call({} as never, { dir } as never, Object.fromEntries(parts.map((part) => [part, {}])) as never);
    return readdirSync(dir).filter((name) => name !== "builds.json");
  };
  try {
    writeFileSync(join(dir, "stray"), "");
    writeFileSync(join(dir, "builds.json"), "[[");
    assert.deepEqual(after("chunk-0", "yoi"), ["chunk-0", "yoi"]);
    for (let index = 1; index < buildsKept; index += 1) after(`chunk-${index}`, "yoi");
    assert.equal(
      after(`chunk-${buildsKept - 1}`, "yoi").includes("chunk-0"),
      true,
      "the same again counts once",
    );
    const left = Array.from({ length: buildsKept }, (_, index) => `chunk-${index + 1}`);
    assert.deepEqual(after(`chunk-${buildsKept}`, "yoi"), [...left, "yoi"]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
