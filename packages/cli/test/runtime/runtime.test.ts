/** The runtime directory on a real disk: made as it has to be, and refused, with the command that mends it, when it is not. */
import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, describe } from "node:test";
import { podName, YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { exitCodeOfError } from "../../src/exit-code.ts";
import { checkedRuntime, preparedRuntime } from "../../src/runtime/runtime.ts";

const host = nodeHost();
const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-runtime-")));
after(() => rmSync(root, { recursive: true, force: true }));
const anotherUser = 65_534;
/** Why a test is skipped, or false. */
const onlyRoot = process.getuid?.() === 0 ? false : "only root gives a file away";

let count = 0;
/** A data directory of its own, with nothing in it. */
function place() {
  count += 1;
  const data = join(root, String(count));
  mkdirSync(data, { mode: 0o700 });
  const runtime = join(data, "run");
  return { data, runtime, environment: { directories: { data, config: join(data, "config"), runtime } } };
}

function modeOf(path: string): string {
  return (lstatSync(path).mode & 0o7777).toString(8);
}

async function refused(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => assert.fail("it was not refused"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof YoiError);
  assert.deepEqual([error.code, exitCodeOfError(error.code)], ["runtime_unsafe", 3]);
  return error.message;
}

describe("runtime directory", () => {
  test("one that cannot be made: the variable that named it is to go", async () => {
    const { environment } = place();
    const directories = { ...environment.directories, runtime: "/proc/nobody-makes-this/yoi" };
    assert.match(
      await refused(preparedRuntime({ directories }, host)),
      /^Cannot create the directory \/proc\/nobody-makes-this: .*; use the data directory with `unset XDG_RUNTIME_DIR`\.$/,
    );
    const own = { ...environment.directories, data: "/proc", runtime: "/proc/nobody-makes-this/run" };
    assert.match(
      await refused(preparedRuntime({ directories: own }, host)),
      /name another place with YOI_HOME\.$/,
    );
  });

  test("it is made, with a token, and found as it was", async () => {
    const { runtime, environment } = place();
    const made = await preparedRuntime(environment, host);
    assert.deepEqual(
      ["", "s", "token"].map((name) => modeOf(join(runtime, name))),
      ["700", "700", "600"],
    );
    const token = await made.userToken();
    assert.match(token ?? "", /^[0-9a-f]{64}$/);
    assert.equal(readFileSync(join(runtime, "token"), "utf8"), token);
    const again = await preparedRuntime(environment, host);
    assert.equal(await again.userToken(), token);
    assert.equal(await (await checkedRuntime(environment, host)).userToken(), token);
    assert.deepEqual(readdirSync(runtime), ["s", "token"], "nothing else is left");
  });

  test("a socket is named by 12 hexadecimal digits of the Pod's name", async () => {
    const { runtime, environment } = place();
    const found = await checkedRuntime(environment, host);
    assert.equal(found.socketPath(podName("review")), join(runtime, "s", "c97ace4c8fef"));
    assert.equal(await found.userToken(), null, "nobody gets in where nothing is");
    assert.equal(lstatSync(runtime, { throwIfNoEntry: false }), undefined, "looking makes nothing");
  });

  test("many who need the token first make one", async () => {
    const { environment } = place();
    const tokens = await Promise.all(
      Array.from({ length: 32 }, async () => (await preparedRuntime(environment, host)).userToken()),
    );
    assert.equal(new Set(tokens).size, 1);
    assert.notEqual(tokens[0], null);
  });

  test("the token is read anew each time: another one counts at once, a removed one lets nobody in", async () => {
    const { runtime, environment } = place();
    const { userToken } = await preparedRuntime(environment, host);
    const other = "0123456789abcdef".repeat(4);
    writeFileSync(join(runtime, "token"), other);
    assert.equal(await userToken(), other);
    rmSync(join(runtime, "token"));
    assert.equal(await userToken(), null);
  });

  test("a token that cannot be read now is no missing one: it is said", async () => {
    const { environment } = place();
    let isOut = false;
    const files: typeof host.files = Object.create(host.files, {
      read: {
        value: async (path: string) => {
          if (isOut) throw new YoiError("io_failed", "too many open files");
          return host.files.read(path);
        },
      },
    });
    const { userToken } = await preparedRuntime(environment, { files });
    isOut = true;
    await assert.rejects(userToken(), { code: "io_failed" });
    isOut = false;
    assert.notEqual(await userToken(), null);
  });
});

interface Fault {
  readonly what: string;
  readonly spoil: (runtime: string, data: string) => void;
  /** With RUN for the runtime directory and DATA for the data directory. */
  readonly said: string;
  readonly asRoot?: true;
}

const dir = (path: string) => mkdirSync(path, { mode: 0o700 });
const faults: readonly Fault[] = [
  {
    what: "open to others",
    spoil: (runtime) => (dir(runtime), chmodSync(runtime, 0o755)),
    said: "RUN has mode 755, but has to be yours alone: set it with `chmod 700 RUN`.",
  },
  {
    what: "open to one bit of the group",
    spoil: (runtime) => (dir(runtime), chmodSync(runtime, 0o710)),
    said: "RUN has mode 710, but has to be yours alone: set it with `chmod 700 RUN`.",
  },
  {
    what: "a link, also to a good directory",
    spoil: (runtime, data) => (dir(join(data, "good")), symlinkSync("good", runtime)),
    said: "RUN is a symbolic link, which could lead anywhere: remove it with `rm RUN`.",
  },
  {
    what: "a link that leads nowhere",
    spoil: (runtime) => symlinkSync("nowhere", runtime),
    said: "RUN is a symbolic link, which could lead anywhere: remove it with `rm RUN`.",
  },
  {
    what: "a file",
    spoil: (runtime) => writeFileSync(runtime, ""),
    said: "RUN is not a directory: move it away with `mv RUN RUN.old`.",
  },
  {
    what: "another user's",
    spoil: (runtime) => (dir(runtime), chownSync(runtime, anotherUser, anotherUser)),
    said: "RUN belongs to user 65534, not to you (user 0): move it away with `sudo mv RUN RUN.old`.",
    asRoot: true,
  },
  {
    what: "the sockets' directory open to others",
    spoil: (runtime) => (dir(runtime), dir(join(runtime, "s")), chmodSync(join(runtime, "s"), 0o777)),
    said: "RUN/s has mode 777, but has to be yours alone: set it with `chmod 700 RUN/s`.",
  },
  {
    what: "the sockets' directory a link",
    spoil: (runtime) => (dir(runtime), symlinkSync("/tmp", join(runtime, "s"))),
    said: "RUN/s is a symbolic link, which could lead anywhere: remove it with `rm RUN/s`.",
  },
  {
    what: "a parent that others write",
    spoil: (_, data) => chmodSync(data, 0o777),
    said: "DATA can be written by other users, so what is put there for the runtime directory RUN can be replaced: close it with `chmod go-w DATA`.",
  },
  {
    what: "another user's parent",
    spoil: (_, data) => chownSync(data, anotherUser, anotherUser),
    said: 'DATA belongs to user 65534, so what is put there for the runtime directory RUN can be replaced: make it yours with `sudo chown "$(id -u)" DATA`.',
    asRoot: true,
  },
];

/** Of the token alone: whoever looks only for the directory does not see them. */
const tokenFaults: readonly Fault[] = [
  {
    what: "a token that others read",
    spoil: (runtime) => chmodSync(join(runtime, "token"), 0o644),
    said: "RUN/token has mode 644, but has to be yours alone: set it with `chmod 600 RUN/token`.",
  },
  {
    what: "a token that is a link",
    spoil: (runtime, data) => {
      writeFileSync(join(data, "elsewhere"), "a".repeat(64), { mode: 0o600 });
      rmSync(join(runtime, "token"));
      symlinkSync(join(data, "elsewhere"), join(runtime, "token"));
    },
    said: "RUN/token is a symbolic link, which could lead anywhere: remove it with `rm RUN/token`.",
  },
  {
    what: "a token of another user",
    spoil: (runtime) => chownSync(join(runtime, "token"), anotherUser, anotherUser),
    said: "RUN/token belongs to user 65534, not to you (user 0): move it away with `sudo mv RUN/token RUN/token.old`.",
    asRoot: true,
  },
  ...[
    ["empty", ""],
    ["one character short", "a".repeat(63)],
    ["one character long", "a".repeat(65)],
    ["with a character that is none of them", `${"a".repeat(63)}g`],
  ].map(([what = "", text = ""]): Fault => ({
    what: `a token ${what}`,
    spoil: (runtime) => writeFileSync(join(runtime, "token"), text),
    said: "RUN/token does not hold a token: remove it with `rm RUN/token`, and the next start makes a new one.",
  })),
];

describe("runtime directory, refused", () => {
  for (const { what, spoil, said, asRoot } of faults) {
    test(what, { skip: asRoot === true && onlyRoot }, async () => {
      const { data, runtime, environment } = place();
      const before = await checkedRuntime(environment, host);
      spoil(runtime, data);
      const expected = said.replaceAll("RUN", runtime).replaceAll("DATA", data);
      assert.equal(await refused(checkedRuntime(environment, host)), expected);
      assert.equal(await refused(preparedRuntime(environment, host)), expected);
      assert.equal(await before.userToken(), null);
    });
  }
  for (const { what, spoil, said, asRoot } of tokenFaults) {
    test(what, { skip: asRoot === true && onlyRoot }, async () => {
      const { data, runtime, environment } = place();
      const before = await preparedRuntime(environment, host);
      assert.notEqual(await before.userToken(), null);
      spoil(runtime, data);
      assert.equal(await refused(preparedRuntime(environment, host)), said.replaceAll("RUN", runtime));
      assert.equal(await before.userToken(), null);
    });
  }

  test("XDG_RUNTIME_DIR of another user says how to do without", { skip: onlyRoot }, async () => {
    const { data } = place();
    const theirs = join(data, "theirs");
    mkdirSync(theirs, { mode: 0o700 });
    chownSync(theirs, anotherUser, anotherUser);
    const runtime = join(theirs, "yoi");
    const environment = { directories: { data: join(data, "own"), config: data, runtime } };
    assert.match(
      await refused(checkedRuntime(environment, host)),
      /: use the data directory with `unset XDG_RUNTIME_DIR`\.$/,
    );
  });
});
