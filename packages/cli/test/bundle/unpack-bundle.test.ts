/** Bundles from strangers: each way of being wrong is refused with its sentence, and every cut and every changed byte is noticed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { YoiError } from "@yoi/base";
import fc from "fast-check";
import { packTar, type TarEntry } from "modern-tar";
import { bundleBytesMax, bundleFilesMax, sha256Of } from "../../src/bundle/bundle-format.ts";
import { unpackBundle } from "../../src/bundle/unpack-bundle.ts";

const session = "01a20058-1c5e-71ce-bd3e-56da102f80ca";
const segment = "01a20058-1c5e-71cf-b6c7-865b937da299";
const blob = "ab".repeat(32);
const places = {
  metadata: "pods/review/metadata.json",
  log: `sessions/${session}/${segment}.jsonl`,
  blob: `sessions/${session}/blobs/ab/${blob}`,
};

const body = (text: string): Uint8Array => Buffer.from(text);
const contents: ReadonlyMap<string, Uint8Array> = new Map([
  [places.metadata, body("{}\n")],
  [places.log, body('{"seq":0}\n')],
  [places.blob, body('"large"')],
]);

function manifestOf(files: ReadonlyMap<string, Uint8Array> = contents) {
  return {
    format: "yoi-pod-bundle",
    version: 1,
    yoi: "0.1.0",
    pod: "review",
    session_id: session,
    segment_id: segment,
    created_ms: 1_700_000_000_000,
    files: [...files].map(([path, bytes]) => ({ path, bytes: bytes.byteLength, sha256: sha256Of(bytes) })),
  };
}

function entry(name: string, data: Uint8Array, header: Partial<TarEntry["header"]> = {}): TarEntry {
  return { header: { name, size: data.byteLength, mtime: new Date(0), ...header }, body: data };
}

const entriesOf = (files: ReadonlyMap<string, Uint8Array>) =>
  [...files].map(([name, data]) => entry(name, data));

function bundle(manifest: unknown, entries: readonly TarEntry[] = entriesOf(contents)): Promise<Uint8Array> {
  return packTar([entry("manifest.json", body(JSON.stringify(manifest))), ...entries]);
}

async function refusal(bytes: Uint8Array): Promise<string> {
  const error: unknown = await unpackBundle(bytes, "/b.tar").then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof YoiError, `it was taken: ${String(error)}`);
  assert.equal(error.place?.path, "/b.tar");
  return error.message;
}

const invalid = (what: string): string =>
  `/b.tar is not a whole bundle (${what}): nothing of it was used; export the Pod again.`;

test("a good bundle comes back byte for byte", async () => {
  const { manifest, files } = await unpackBundle(await bundle(manifestOf()), "/b.tar");
  assert.deepEqual(manifest, manifestOf());
  assert.deepEqual(
    [...files].map(([name, data]) => [name, Buffer.from(data).toString()]),
    [...contents].map(([name, data]) => [name, Buffer.from(data).toString()]),
  );
});

/** With one more file, which the manifest lists as it should. */
function withFile(name: string): Promise<Uint8Array> {
  const files = new Map([...contents, [name, body("x")]]);
  return bundle(manifestOf(files), entriesOf(files));
}

const strangers: readonly string[] = [
  "../escape",
  "/etc/passwd",
  "pods/review/../../escape",
  "pods/other/metadata.json",
  "pods/review/metadata.json/x",
  "locks/review.sqlite",
  `sessions/${session}/${segment}.trace.jsonl`,
  `sessions/${session}/${segment}.torn`,
  `sessions/${session}/x.jsonl`,
  `sessions/${segment}/${segment}.jsonl`,
  `sessions/${session}/blobs/cd/${blob}`,
  `sessions/${session}/blobs/ab/../../../escape`,
  `sessions/${session}/blobs/ab/${blob.slice(1)}`,
  `sessions//${session}/${segment}.jsonl`,
  "readme.txt",
];

describe("refused, with a sentence", () => {
  for (const name of strangers)
    test(`a file at ${name}`, async () => {
      assert.equal(
        await refusal(await withFile(name)),
        invalid(`it holds ${JSON.stringify(name)}, which is no part of a Pod`),
      );
    });

  for (const [type, name] of [
    ["symlink", places.blob],
    ["link", places.log],
    ["directory", "pods/"],
    ["fifo", places.log],
    ["character-device", places.log],
  ] as const)
    test(`a ${type}`, async () => {
      const special = entry(name, new Uint8Array(), {
        type,
        ...(type.endsWith("link") ? { linkname: "/etc/passwd" } : {}),
      });
      assert.equal(
        await refusal(await bundle(manifestOf(), [special, ...entriesOf(contents)])),
        invalid(`${JSON.stringify(name)} is a ${type}, not a file`),
      );
    });

  test("a name twice, in the tar or in the manifest", async () => {
    const twice = [...entriesOf(contents), entry(places.log, body('{"seq":0}\n'))];
    assert.equal(
      await refusal(await bundle(manifestOf(), twice)),
      invalid(`it holds ${JSON.stringify(places.log)} twice`),
    );
    const manifest = manifestOf();
    const [first] = manifest.files;
    assert.equal(
      await refusal(await bundle({ ...manifest, files: [...manifest.files, first] })),
      invalid(`its manifest lists ${JSON.stringify(places.metadata)} twice`),
    );
  });

  test("a name that a pax header puts in another one's place", async () => {
    const sly = entry(places.blob, body('"large"'), { pax: { path: "../../escape" } });
    const others = entriesOf(contents).slice(0, 2);
    assert.equal(
      await refusal(await bundle(manifestOf(), [...others, sly])),
      invalid('it holds "../../escape", which is no part of a Pod'),
    );
  });

  test("a file that is missing, not listed, or other than listed", async () => {
    const log = JSON.stringify(places.log);
    const without = new Map([...contents].filter(([name]) => name !== places.log));
    assert.equal(await refusal(await bundle(manifestOf(), entriesOf(without))), invalid(`${log} is missing`));
    assert.equal(
      await refusal(await bundle(manifestOf(without))),
      invalid(`its manifest does not list ${log}`),
    );
    assert.equal(
      await refusal(await bundle(manifestOf(without), entriesOf(without))),
      invalid(`${log} is missing`),
    );
    for (const other of ['{"seq":1}\n', '{"seq":0}', '{"seq":0}\n\n']) {
      const changed = new Map([...contents, [places.log, body(other)]]);
      assert.equal(
        await refusal(await bundle(manifestOf(), entriesOf(changed))),
        invalid(`${log} is not what its manifest lists`),
      );
    }
  });

  test("a manifest that is not first, not JSON, too deep, of another format, or of a later version", async () => {
    const manifest = entry("manifest.json", body(JSON.stringify(manifestOf())));
    assert.equal(
      await refusal(await packTar([...entriesOf(contents), manifest])),
      invalid("it does not begin with manifest.json"),
    );
    assert.equal(await refusal(await packTar([])), invalid("it does not begin with manifest.json"));
    const raw = (text: string) => packTar([entry("manifest.json", body(text)), ...entriesOf(contents)]);
    assert.equal(await refusal(await raw("{")), invalid("its manifest is not JSON"));
    assert.equal(
      await refusal(await raw(`${"[".repeat(200)}${"]".repeat(200)}`)),
      invalid("its manifest nests too deep"),
    );
    const format = invalid("its manifest does not say that it is a yoi-pod-bundle");
    for (const other of [[], null, { ...manifestOf(), format: "zip" }])
      assert.equal(await refusal(await bundle(other)), format);
    assert.equal(
      await refusal(await bundle({ ...manifestOf(), version: 2 })),
      "The bundle /b.tar has version 2, and this yoi knows 1: use a newer yoi.",
    );
  });

  for (const [field, wrong] of [
    ["version", "1"],
    ["yoi", 1],
    ["pod", "../x"],
    ["session_id", "1"],
    ["segment_id", null],
    ["created_ms", -1],
    ["files", {}],
    ["files", [{ path: 1, bytes: 1, sha256: "" }]],
    ["files", [{ path: places.log, bytes: -1, sha256: "" }]],
  ] as const)
    test(`a manifest whose ${field} is ${JSON.stringify(wrong)}`, async () => {
      assert.equal(
        await refusal(await bundle({ ...manifestOf(), [field]: wrong })),
        invalid(`the field ${field} of its manifest is missing or of the wrong type`),
      );
    });

  test("sizes that cannot be, and more files than a bundle may hold", async () => {
    const bytes = Buffer.from(await bundle(manifestOf()));
    // The size field of the second entry, as eleven octal digits, with the header's checksum made right.
    const at = 512 + Math.ceil(JSON.stringify(manifestOf()).length / 512) * 512;
    bytes.write("77777777777\0", at + 124, "latin1");
    bytes.fill(" ", at + 148, at + 156);
    const sum = bytes.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
    bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, at + 148, "latin1");
    assert.equal(await refusal(bytes), invalid("Tar archive is truncated"));
    const many = (count: number) => Array.from({ length: count }, () => entry("x", new Uint8Array()));
    assert.equal(
      await refusal(await bundle(manifestOf(), many(bundleFilesMax + 1))),
      invalid(`it holds more than ${bundleFilesMax} files`),
    );
    assert.equal(
      await refusal(await bundle(manifestOf(), many(bundleFilesMax))),
      invalid('it holds "x", which is no part of a Pod'),
    );
    assert.equal(
      await refusal(new Uint8Array(bundleBytesMax + 1)),
      invalid(`it has more than ${bundleBytesMax} bytes`),
    );
  });

  test("junk: nothing, zeros, text, a good bundle with something behind it", async () => {
    const good = await bundle(manifestOf());
    for (const junk of [
      new Uint8Array(),
      new Uint8Array(512),
      new Uint8Array(4096),
      body("not a tar".repeat(100)),
      Buffer.concat([good, body("behind it".repeat(80))]),
    ])
      assert.match(await refusal(junk), /^\/b\.tar is not a whole bundle \(.+\): nothing of it was used/);
  });
});

test("every cut is noticed", async () => {
  const good = await bundle(manifestOf());
  for (let end = 0; end < good.byteLength; end += 1) {
    const cut = good.subarray(0, end);
    await assert.rejects(unpackBundle(cut, "/b.tar"), { code: "bundle_invalid" }, `cut at ${end}`);
  }
});

test("a changed byte is noticed, or changes nothing that is used", async () => {
  const good = await bundle(manifestOf());
  const { files, manifest } = await unpackBundle(good, "/b.tar");
  const seed = 20_261_122;
  const numRuns = 600;
  await fc.assert(
    fc.asyncProperty(fc.nat(good.byteLength - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
      const changed = Uint8Array.from(good);
      changed[at] = (changed[at] ?? 0) ^ flip;
      let taken: Awaited<ReturnType<typeof unpackBundle>>;
      try {
        taken = await unpackBundle(changed, "/b.tar");
      } catch (error) {
        assert.ok(
          error instanceof YoiError && (error.code === "bundle_invalid" || error.code === "schema_newer"),
        );
        return;
      }
      assert.deepEqual(taken.files, files);
      assert.deepEqual(
        { ...taken.manifest, yoi: "", created_ms: 0 },
        { ...manifest, yoi: "", created_ms: 0 },
      );
    }),
    { seed, numRuns },
  );
  console.log(`changed bytes of a bundle: seed ${seed}, ${numRuns} cases`);
});
