/** The store of secrets: what goes in comes out, under its own id only, and nothing is lost to a crash, a second writer or a lost key. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { YoiError, type ErrorCode } from "@yoi/base";
import { crashAt, failNth, HostCrashed, memoryHost, noFaults } from "@yoi/host";
import { secretBytesMax, secretFileBytesMax, secretsMax } from "../src/index.ts";
import { leftoverAgeMs } from "../src/leftovers.ts";
import { bench, keychainOf, secretsDir, textOf } from "./support.ts";

const id = "providers/anthropic/default";
const value = "sk-ant-value-of-a-key-1";

function refused(code: ErrorCode, ...words: string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof YoiError, String(error));
    assert.equal(error.code, code);
    for (const word of words) assert.ok(error.message.includes(word), `${error.message} / ${word}`);
    assert.ok(!error.message.includes(value));
    return true;
  };
}

describe("values", () => {
  test("come out as they went in, are replaced, listed without value, and removed", async () => {
    const { store, host } = bench();
    assert.deepEqual(await store.list(), []);
    assert.equal(await store.get(id), null);
    assert.deepEqual(await store.set(id, "an older value"), { protection: "keychain" });
    assert.deepEqual(await store.set(id, value), { protection: "keychain" });
    await store.set("web/brave/default", "grüße \u{1f511}");
    assert.equal(await store.get(id), value);
    assert.equal(await store.get("web/brave/default"), "grüße \u{1f511}");
    assert.deepEqual(await store.list(), [
      { id, protection: "keychain" },
      { id: "web/brave/default", protection: "keychain" },
    ]);
    assert.ok(!(await textOf(host, id)).includes(value), "sealed");
    assert.equal(await store.remove(id), true);
    assert.equal(await store.remove(id), false);
    assert.equal(await store.get(id), null);
  });

  test("without a keychain the file says so, and why is said", async () => {
    const { store, host } = bench({ missing: "no bus" });
    assert.deepEqual(await store.set(id, value), { protection: "file_mode", reason: "no bus" });
    assert.equal(await store.get(id), value);
    assert.deepEqual(await store.list(), [{ id, protection: "file_mode" }]);
    assert.match(await textOf(host, id), /"protection":"file_mode"/);
  });

  test("a keychain that fails is none, and one that forgets is not trusted", async () => {
    const failing = { get: async () => null, set: async () => Promise.reject(new Error("it is locked")) };
    assert.deepEqual(await bench({ keychain: failing }).store.set(id, value), {
      protection: "file_mode",
      reason: "it is locked",
    });
    const forgetful = { get: async () => null, set: async () => undefined };
    const set = await bench({ keychain: forgetful }).store.set(id, value);
    assert.equal(set.protection, "file_mode");
  });

  test("the keychain is not asked before a value needs it", async () => {
    const { store, opened } = bench();
    await store.list();
    await store.get(id);
    await store.remove(id);
    assert.equal(opened(), 0);
  });

  const notValues = ["", "a\nb", "a\u0000b", "a\u007fb", "\ud800"];
  test("are one line of text within the limit", async () => {
    const { store } = bench();
    for (const text of notValues) await assert.rejects(store.set(id, text), refused("usage"));
    await store.set(id, "x".repeat(secretBytesMax));
    await assert.rejects(store.set(id, "x".repeat(secretBytesMax + 1)), refused("limit_exceeded"));
    assert.equal(await store.get(id), "x".repeat(secretBytesMax));
    await store.set(id, '"'.repeat(secretBytesMax));
    assert.equal((await store.get(id))?.length, secretBytesMax);
  });

  test(`are at most ${secretsMax}, and one of them can still be replaced`, async () => {
    const { store } = bench({ missing: "none" });
    for (let n = 0; n < secretsMax; n += 1) await store.set(`n/${n}`, value);
    await assert.rejects(store.set("one/more", value), refused("limit_exceeded"));
    await store.set("n/0", "another value");
    assert.equal(await store.get("n/0"), "another value");
  });
});

describe("a file that is not what was written", () => {
  test("under another id does not open, sealed or not", async () => {
    for (const missing of [undefined, "none"]) {
      const { store, host } = bench(missing === undefined ? {} : { missing });
      await store.set(id, value);
      const bytes = Buffer.from(await textOf(host, id));
      await host.files.replace(`${secretsDir}/other.json`, bytes);
      await assert.rejects(store.get("other"), refused("secrets_damaged", "another id"));
      await host.files.replace(
        `${secretsDir}/other.json`,
        Buffer.from(bytes.toString().replace(`"id":"${id}"`, '"id":"other"')),
      );
      await assert.rejects(store.get("other"), refused("secrets_damaged", "yoi secret set other"));
      assert.equal(await store.get(id), value);
    }
  });

  test("is found at every changed bit", async () => {
    for (const missing of [undefined, "none"]) {
      const { store, host } = bench(missing === undefined ? {} : { missing });
      await store.set(id, value);
      const whole = Buffer.from(await textOf(host, id));
      for (let at = 0; at < whole.length - 1; at += 1) {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ (1 << (at % 7));
        await host.files.replace(`${secretsDir}/${id.replaceAll("/", "+")}.json`, changed);
        await assert.rejects(store.get(id), (error) => error instanceof YoiError, `byte ${at}`);
      }
    }
  });

  test("is listed as damaged, and set anew", async () => {
    const { store, host } = bench();
    await store.set("a", value);
    await host.files.replace(`${secretsDir}/b.json`, Buffer.alloc(secretFileBytesMax, "x"));
    await host.files.replace(`${secretsDir}/c.json`, Buffer.alloc(secretFileBytesMax + 1, "x"));
    assert.deepEqual(
      (await store.list()).map((entry) => entry.protection),
      ["keychain", "damaged", "damaged"],
    );
    await assert.rejects(store.get("b"), refused("secrets_damaged", "not valid JSON"));
    await assert.rejects(store.get("c"), refused("secrets_damaged", `${secretFileBytesMax} bytes`));
    await store.set("b", value);
    assert.equal(await store.get("b"), value);
  });

  test("of a later yoi is refused as such", async () => {
    const { store, host } = bench();
    await store.set("a", value);
    const later = (await textOf(host, "a")).replace('"version":1', '"version":2');
    await host.files.replace(`${secretsDir}/a.json`, Buffer.from(later));
    await assert.rejects(store.get("a"), refused("schema_newer", "update yoi"));
  });

  test("cannot be had without its key", async () => {
    const { store, host, keys } = bench();
    await store.set(id, value);
    await assert.rejects(
      bench({ host, missing: "no bus" }).store.get(id),
      refused("credentials_missing", "no bus", `yoi secret set ${id}`),
    );
    const [name] = keys.keys();
    keys.set(name ?? "", new Uint8Array(32));
    await assert.rejects(store.get(id), refused("secrets_damaged"));
    keys.clear();
    await assert.rejects(store.get(id), refused("credentials_missing", "not in it any more"));
    await store.set(id, "again, with a new key");
    assert.equal(await store.get(id), "again, with a new key");
  });
});

describe("others", () => {
  const traps = [
    { kind: "directory", mode: 0o755, own: true, says: "chmod 700" },
    { kind: "directory", mode: 0o701, own: true, says: "chmod 700" },
    { kind: "directory", mode: 0o700, own: false, says: "another user" },
    { kind: "link", mode: 0o777, own: true, says: "symbolic link" },
    { kind: "file", mode: 0o600, own: true, says: "not a directory" },
  ] as const;
  for (const path of ["/data/keep", secretsDir]) {
    for (const { says, ...trap } of traps) {
      test(`${path} that ${says === "chmod 700" ? `has mode ${trap.mode.toString(8)}` : `is: ${says}`} is refused by every verb`, async () => {
        const { store, host, protections } = bench();
        await store.set(id, value);
        const before = host.disk.count("write") + host.disk.count("remove");
        protections.set(path, trap);
        for (const verb of [
          () => store.get(id),
          () => store.set(id, "x"),
          () => store.list(),
          () => store.remove(id),
        ])
          await assert.rejects(verb(), refused("permission_denied", path, says));
        assert.equal(host.disk.count("write") + host.disk.count("remove"), before, "nothing changed");
      });
    }
  }

  test("a file that others may read, or a link in its place, is refused", async () => {
    const { store, protections } = bench();
    await store.set(id, value);
    const path = `${secretsDir}/${id.replaceAll("/", "+")}.json`;
    protections.set(path, { kind: "file", mode: 0o640, own: true });
    await assert.rejects(store.get(id), refused("permission_denied", "chmod 600", "replace"));
    protections.set(path, { kind: "link", mode: 0o777, own: true });
    await assert.rejects(store.set(id, "x"), refused("permission_denied", "symbolic link"));
  });
});

describe("two writers at once", () => {
  test("both first values stay readable, whatever key each of them made", async () => {
    const host = memoryHost({ seed: 3 });
    const keys = new Map<string, Uint8Array>();
    const one = bench({ host, keys, process: "one" }).store;
    const other = bench({ host, keys, process: "other" }).store;
    await Promise.all([one.set("a", "value of a"), other.set("b", "value of b"), one.set("c", "value of c")]);
    assert.ok(keys.size >= 2, "they did race");
    for (const reader of [one, other])
      for (const name of ["a", "b", "c"]) assert.equal(await reader.get(name), `value of ${name}`);
  });

  test("a key that is there is used again", async () => {
    const { store, keys } = bench();
    await store.set("a", value);
    await store.set("b", value);
    assert.equal(keys.size, 1);
    assert.equal(await store.get("b"), value);
  });

  test("control: with one key under one name for all, the second writer takes the first one's secret away", async () => {
    const host = memoryHost({ seed: 3 });
    const keys = new Map<string, Uint8Array>();
    const kept = keychainOf(keys);
    const set = (_: string, key: Uint8Array) => kept.set("key", key);
    let looks = 0;
    const one = bench({ host, keychain: { get: () => kept.get("key"), set }, process: "one" }).store;
    // This one looked for the key before the other had made it.
    const get = async () => ((looks += 1) === 1 ? null : kept.get("key"));
    const other = bench({ host, keychain: { get, set }, process: "other" }).store;
    await one.set("a", "value of a");
    await other.set("b", "value of b");
    const results = await Promise.allSettled([one.get("a"), one.get("b")]);
    assert.ok(results.some((result) => result.status === "rejected"));
  });
});

describe("crashes and disk errors", () => {
  const old = "the old value";

  async function operations(
    work: (b: ReturnType<typeof bench>) => Promise<unknown>,
  ): Promise<[number, number]> {
    const b = bench({ missing: "none" });
    await b.store.set(id, old);
    const before = b.host.disk.operations;
    await work(b);
    return [before, b.host.disk.operations];
  }

  test("a power cut at any operation of set leaves the old value or the new one, and the new one once it was acknowledged", async () => {
    const [from, to] = await operations(({ store }) => store.set(id, value));
    assert.ok(to - from >= 4);
    for (let at = from; at <= to; at += 1) {
      const { host, store } = bench({ missing: "none" });
      await store.set(id, old);
      host.disk.plan = crashAt(at);
      let acknowledged = true;
      try {
        await store.set(id, value);
      } catch (error) {
        assert.ok(error instanceof HostCrashed);
        acknowledged = false;
      }
      const found = await bench({ host: host.restart(), missing: "none" }).store.get(id);
      assert.ok(
        acknowledged ? found === value : found === old || found === value,
        `operation ${at}: ${found}`,
      );
    }
  });

  test("a power cut after remove brings nothing back", async () => {
    const { host, store } = bench({ missing: "none" });
    await store.set(id, old);
    await store.remove(id);
    assert.equal(await bench({ host: host.restart(), missing: "none" }).store.get(id), null);
  });

  test("a failed operation of set is thrown, and the old value stays whole", async () => {
    for (const kind of ["write", "sync", "rename"] as const) {
      const { host, store } = bench({ missing: "none" });
      await store.set(id, old);
      host.disk.plan = failNth(kind, host.disk.count(kind) + 1, "EIO");
      await assert.rejects(store.set(id, value), refused("io_failed"));
      host.disk.plan = noFaults;
      assert.equal(await store.get(id), old, kind);
    }
  });

  test("what a killed writer left of a value goes: with the secret at once, else after an hour", async () => {
    const { host, store } = bench({ missing: "none" });
    await store.set("a", value);
    const left = [`${secretsDir}/.a.json.0a-1.tmp`, `${secretsDir}/.b.json.0b-2.tmp`];
    const temporaries = async () =>
      (await host.files.list(secretsDir)).filter((name) => name.endsWith(".tmp"));
    for (const path of left) await (await host.files.createAppend(path)).close();
    await store.set("c", value);
    assert.equal((await temporaries()).length, 2, "another writer's may still be in use");
    await store.remove("a");
    assert.deepEqual(await temporaries(), [".b.json.0b-2.tmp"]);
    await host.advance(leftoverAgeMs + 1);
    await store.set("c", value);
    assert.deepEqual(await temporaries(), []);
  });
});

test("control: a store that reads, changes and writes one file loses a value to a second writer", async () => {
  // What the file for each secret is for: the same race over one file.
  const host = memoryHost({ seed: 4 });
  await host.files.makeDirectory("/one");
  const set = async (name: string): Promise<void> => {
    const bytes = await host.files.read("/one/store.json");
    const all = bytes === null ? {} : JSON.parse(Buffer.from(bytes).toString());
    await host.files.replace("/one/store.json", Buffer.from(JSON.stringify({ ...all, [name]: value })));
  };
  await Promise.all([set("a"), set("b")]);
  const bytes = await host.files.read("/one/store.json");
  assert.equal(Object.keys(JSON.parse(Buffer.from(bytes ?? []).toString())).length, 1);
});
