/** Commands from start to end, with the sandbox and without: how they end, and that nothing of them is left when they have. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { after, describe, test } from "node:test";
import { podName, YoiError } from "@yoi/base";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { type Harness, harness, testPath } from "./harness.ts";
import { eventually, processesNamed } from "./processes.ts";

const modes = [
  { mode: "on", skip: noBubblewrap() },
  { mode: "off", skip: false },
] as const;
const open: Harness[] = [];
after(() => Promise.all(open.map((one) => one.close())));

async function start(options: Parameters<typeof harness>[0]): Promise<Harness> {
  const one = await harness(options);
  open.push(one);
  return one;
}

/** A `sleep` that is told apart by its length. */
let sleepers = 3000;
const sleeper = (): string => `sleep ${(sleepers += 1)}`;

/** Side by side: most of their time is waiting. */
describe("from start to end", { concurrency: 3 }, () => {
  for (const { mode, skip } of modes) {
    test(
      `sandbox ${mode}: exit codes, and output in the order in which it was written`,
      { skip },
      async () => {
        const { run } = await start({ mode });
        const table: readonly [string, object][] = [
          ["true", { exit: { kind: "exited", code: 0 }, output: "" }],
          ["exit 3", { exit: { kind: "exited", code: 3 }, output: "" }],
          [
            "for i in 1 2 3; do echo o$i; echo e$i >&2; done",
            { exit: { kind: "exited", code: 0 }, output: "o1\ne1\no2\ne2\no3\ne3\n" },
          ],
          ['read x; echo "[$x]"', { exit: { kind: "exited", code: 0 }, output: "[]\n" }],
          [
            '[ -n "$BASH_VERSION" ] && echo bash; shopt -q login_shell || echo plain',
            { exit: { kind: "exited", code: 0 }, output: "bash\nplain\n" },
          ],
          ["# a comment\necho x", { exit: { kind: "exited", code: 0 }, output: "x\n" }],
          ["cat <<EOF\nhere\nEOF", { exit: { kind: "exited", code: 0 }, output: "here\n" }],
          [
            "head -c 3000000 /dev/zero | tr '\\0' x | wc -c",
            { exit: { kind: "exited", code: 0 }, output: "3000000\n" },
          ],
        ];
        for (const [script, expected] of table) assert.deepEqual(await run(script), expected, script);
        const big = await run("head -c 3000000 /dev/zero");
        assert.equal(big.output.length, 3_000_000);
        assert.match((await run("if then")).output, /syntax error/);
      },
    );

    test(
      `sandbox ${mode}: what runs in the background ends with the command, at once`,
      { skip },
      async () => {
        const { run } = await start({ mode });
        const [plain, deaf, silent] = [sleeper(), sleeper(), sleeper()];
        const began = performance.now();
        const { exit, output } = await run(
          `${plain} & (trap '' TERM HUP; ${deaf}) & (${silent} >/dev/null 2>&1 </dev/null &) ; echo started`,
        );
        assert.deepEqual([exit, output], [{ kind: "exited", code: 0 }, "started\n"]);
        assert.ok(performance.now() - began < 5_000);
        for (const word of [plain, deaf, silent])
          assert.deepEqual(processesNamed(word.replace(" ", "\0")), [], word);
      },
    );

    test(
      `sandbox ${mode}: a timeout ends grandchildren, also deaf ones, and keeps the output`,
      { skip },
      async () => {
        const { run } = await start({ mode });
        const [child, deaf] = [sleeper(), sleeper()];
        const { exit, output } = await run(
          `echo before; bash -c '${child} & ${child}' & trap '' TERM; ${deaf}; ${deaf}`,
          { timeoutMs: 300 },
        );
        assert.deepEqual([exit, output], [{ kind: "timed_out" }, "before\n"]);
        for (const word of [child, deaf]) assert.deepEqual(processesNamed(word.replace(" ", "\0")), [], word);
      },
    );

    test(
      `sandbox ${mode}: what a command leaves for git to run is ${mode === "on" ? "put aside and told" : "told and left: anybody may have made it"}`,
      { skip },
      async () => {
        const { run, place } = await start({ mode });
        const aside = `${place.root}-quarantine`;
        const { exit, output } = await run(
          [
            "echo ../evil > .git/commondir; cat .git/commondir",
            "mkdir -p vendor/x/.git/hooks; echo evil > vendor/x/.git/hooks/post-commit",
            "mv vendor renamed",
            'printf "[core]\\n\\tfsmonitor = ./evil\\n" > renamed/x/.git/config',
            "cat renamed/x/.git/hooks/post-commit",
          ].join("; "),
        );
        assert.equal(output, "../evil\nevil\n", "control: while the command runs they are there");
        const [redirect, hook, config] = [
          ".git/commondir",
          "renamed/x/.git/hooks/post-commit",
          "renamed/x/.git/config",
        ].map((name) => `${place.workspace}/${name}`);
        const done = (path = ""): string =>
          mode === "on"
            ? `it was moved to "${aside}${path}".`
            : "it was left as it is, because without the sandbox anybody may have made it; look at it before you use git there.";
        assert.deepEqual(exit, {
          kind: "exited",
          code: 0,
          notes: [
            `Since the command "${config}" has settings with which git runs programs or reads other files ("core.fsmonitor=./evil"): it was left as it is; look at it before you use git there.`,
            `Since the command there is "${redirect}", which would make git take hooks and configuration from "../evil": ${done(redirect)}`,
            `Since the command there is "${hook}", a git hook, which would run at your next use of git: ${done(hook)}`,
          ],
        });
        assert.deepEqual(
          [redirect, hook, config].map((path) => existsSync(path ?? "")),
          [mode === "off", mode === "off", true],
        );
        assert.equal(readFileSync(`${mode === "on" ? aside : ""}${hook}`, "utf8"), "evil\n");
        writeFileSync(redirect ?? "", "mine\n");
        writeFileSync(hook ?? "", "mine\n");
        assert.deepEqual((await run("true")).exit, { kind: "exited", code: 0 });
        assert.deepEqual(
          [readFileSync(redirect ?? "", "utf8"), readFileSync(hook ?? "", "utf8")],
          ["mine\n", "mine\n"],
          "what was there before is left alone",
        );
        rmSync(aside, { recursive: true, force: true });
      },
    );

    test(`sandbox ${mode}: who is asked to end may tidy up`, { skip }, async () => {
      const { run, place } = await start({ mode });
      const { exit } = await run(`trap 'echo tidy > tidied; exit' TERM; ${sleeper()} & wait`, {
        timeoutMs: 300,
      });
      assert.deepEqual(exit, { kind: "timed_out" });
      assert.equal(readFileSync(`${place.workspace}/tidied`, "utf8"), "tidy\n");
    });

    test(`sandbox ${mode}: cancelled before the start, and while it runs`, { skip }, async () => {
      const { run, place } = await start({ mode });
      assert.deepEqual(await run("touch ran", { signal: AbortSignal.abort() }), {
        exit: { kind: "cancelled" },
        output: "",
      });
      assert.ok(!existsSync(`${place.workspace}/ran`));
      const [child, controller] = [sleeper(), new AbortController()];
      const outcome = await run(`echo on; ${child} & wait`, {
        signal: controller.signal,
        onOutput: () => controller.abort(),
      });
      assert.deepEqual(outcome, { exit: { kind: "cancelled" }, output: "on\n" });
      assert.deepEqual(processesNamed(child.replace(" ", "\0")), []);
    });

    test(
      `sandbox ${mode}: an observer that throws ends the command and its error comes out`,
      { skip },
      async () => {
        const { run } = await start({ mode });
        const child = sleeper();
        const thrown = run(`echo on; ${child}`, {
          onOutput: () => {
            throw new RangeError("observer");
          },
        });
        await assert.rejects(thrown, /observer/);
        assert.deepEqual(processesNamed(child.replace(" ", "\0")), []);
      },
    );

    test(`sandbox ${mode}: a directory that is not there or not granted is refused`, { skip }, async () => {
      const { run, place } = await start({ mode });
      await assert.rejects(
        run("true", { cwd: place.outside }),
        (thrown) => thrown instanceof YoiError && thrown.code === "out_of_scope",
      );
      await assert.rejects(
        run("true", { cwd: `${place.workspace}/none` }),
        (thrown) => thrown instanceof YoiError && thrown.code === "workspace_missing",
      );
      await assert.rejects(run("a\0b"), (thrown) => thrown instanceof YoiError && thrown.code === "usage");
    });

    test(
      `sandbox ${mode}: endStrays ends what carries the Pod's mark, and nothing else`,
      { skip },
      async () => {
        const { runner } = await start({ mode });
        const marked = (call: string, word: string) => {
          const [file = "", ...args] = word.split(" ");
          return spawn(file, args, {
            env: { PATH: testPath, YOI_CALL: call },
            stdio: "ignore",
            detached: true,
          });
        };
        const [mine, other, longer, unmarked] = [sleeper(), sleeper(), sleeper(), sleeper()];
        const started = [
          marked(`stray-${mode}/1.0`, mine),
          marked("other/1.0", other),
          marked(`stray-${mode}2/1.0`, longer),
          marked("", unmarked),
        ];
        try {
          const alive = (word: string) => processesNamed(word.replace(" ", "\0")).length;
          assert.ok(
            await eventually(() => [mine, other, longer, unmarked].every((word) => alive(word) === 1)),
          );
          assert.equal(await runner.endStrays(podName(`stray-${mode}`)), 1);
          assert.deepEqual([mine, other, longer, unmarked].map(alive), [0, 1, 1, 1]);
          assert.equal(await runner.endStrays(podName(`stray-${mode}`)), 0);
        } finally {
          for (const child of started) child.kill("SIGKILL");
        }
      },
    );
  }

  test(
    "sandbox on: a process that starts a session of its own does not survive",
    { skip: noBubblewrap() },
    async () => {
      const [held, control] = [await start({ mode: "on" }), await start({ mode: "off" })];
      const [inside, outside] = [sleeper(), sleeper()];
      const daemon = (word: string) =>
        `setsid ${word} >/dev/null 2>&1 </dev/null & (setsid nohup ${word} >/dev/null 2>&1 &); sleep 0.1`;
      await held.run(daemon(inside));
      assert.deepEqual(processesNamed(inside.replace(" ", "\0")), []);
      await control.run(daemon(outside));
      const survivors = processesNamed(outside.replace(" ", "\0"));
      for (const pid of survivors) process.kill(pid, "SIGKILL");
      assert.ok(survivors.length > 0, "without a sandbox it does: a process group is not a fence");
    },
  );

  test(
    "sandbox on: cancelled at any moment of its start, nothing is left",
    { skip: noBubblewrap() },
    async () => {
      const { run } = await start({});
      const word = sleeper();
      for (let index = 0; index < 80; index += 1) {
        const controller = new AbortController();
        const [began, delayMs] = [performance.now(), index / 8];
        const outcome = run(word, { signal: controller.signal });
        await eventually(() => performance.now() - began >= delayMs);
        controller.abort();
        assert.deepEqual((await outcome).exit, { kind: "cancelled" });
        const left = [...processesNamed(word), ...processesNamed(word.replace(" ", "\0"))];
        assert.deepEqual(left, [], `cancelled after ${delayMs} ms`);
      }
    },
  );
});

test("sandbox on: ordinary work goes on", { skip: noBubblewrap() }, async () => {
  const { run, place } = await start({});
  const work = [
    "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git log --format=%s",
    "echo new > src/b.ts && cat src/b.ts && rm src/b.ts",
    "echo more >> .yoi/notes/1.md && cat .yoi/notes/1.md",
    "echo temporary > /tmp/x && cat /tmp/x && echo home > ~/.cache-x && cat ~/.cache-x",
    `cat ${place.data}/spill/p/1.0.log`,
    "node -p '1 + 1'",
    "echo $YOI $YOI_POD $YOI_CALL",
    "cat lent/file.txt",
  ];
  const { output } = await run(work.join("\n"));
  assert.deepEqual(output.trim().split("\n"), [
    "one",
    "new",
    "note",
    "more",
    "temporary",
    "home",
    "kept output",
    "2",
    "1 p p/1.0",
    "lent",
  ]);
  assert.ok(!existsSync("/tmp/x") && !existsSync(`${place.home}/.cache-x`));
});

test("sandbox on: a network that was granted is there", { skip: noBubblewrap() }, async () => {
  const { run } = await start({});
  const server = createServer((socket) => socket.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
    assert.equal((await run(script, { network: true })).output, "hello");
    assert.match((await run(script)).output, /refused|unreachable/i);
  } finally {
    server.close();
  }
});

test("sandbox on: names that are hard on scripts", { skip: noBubblewrap() }, async () => {
  const { run, place } = await start({});
  for (const name of ["with space", "new\nline", "--bind", "quo'te\"", "ünï", "-"]) {
    const directory = `${place.workspace}/src/${name}`;
    mkdirSync(directory);
    writeFileSync(`${directory}/f`, name);
    const scope = {
      allow: [
        ...place.scope.allow.filter((rule) => rule.permission === "read"),
        { target: directory, permission: "write" as const, recursive: true },
      ],
      deny: [],
    };
    const { output } = await run("cat f; pwd", { cwd: directory, scope });
    assert.equal(output, `${name}${directory}\n`);
    await run("touch ../x", { cwd: directory, scope });
    assert.ok(!existsSync(`${place.workspace}/src/x`));
  }
});

test("sandbox on: a link made between two commands gains nothing", { skip: noBubblewrap() }, async () => {
  const { run, place } = await start({});
  const scope = {
    allow: [
      ...place.scope.allow,
      { target: `${place.workspace}/granted`, permission: "write" as const, recursive: true },
    ],
    deny: [],
  };
  await run("echo first", { scope });
  symlinkSync(place.outside, `${place.workspace}/granted`);
  const before = place.snapshot();
  const { output } = await run("cat granted/secret.txt; echo x > granted/new.txt", { scope });
  assert.match(output, /No such file/);
  assert.equal(place.snapshot(), before);
});
