/** A child that tries everything on its lender: its files by shell and by tool, its repository, its process and its socket. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { YoiError } from "@yoi/base";
import { createScopedFiles } from "@yoi/tools";
import { canary } from "../escape/place.ts";
import { harness, testPath } from "../escape/harness.ts";
import type { Peers } from "../escape/sandbox-attempts.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { childAttempts, peerAttempts } from "./child-attempts.ts";
import { inLanes, makeLentPlace } from "./lent-place.ts";
import { writes } from "./writes.ts";

const attemptsMin = 60;
const skip = noBubblewrap();
/** Longer than a process takes that was told to write late. */
const lateMs = 300;
/** Ways that an ordinary user does not have on some machines, held or not. */
const needPrivilege = new Set(["ptrace", "the root of a process of the user"]);

interface Tried {
  readonly name: string;
  readonly through: boolean;
  /** Null: it is not meant to work for the lender either. */
  readonly control: boolean | null;
}

function judge(tried: readonly Tried[]): void {
  assert.deepEqual(
    tried.filter(({ through }) => through),
    [],
    "what gets through",
  );
  assert.deepEqual(
    tried.filter(({ control }) => control === false),
    [],
    "a control that gets nowhere shows nothing",
  );
}

test("there are attempts enough, each with a name of its own", () => {
  const names = [...writes, ...childAttempts, ...peerAttempts].map(({ name }) => name);
  assert.ok(names.length >= attemptsMin, `only ${names.length}`);
  assert.equal(new Set(names).size, names.length);
  assert.equal(peerAttempts.length, 11, "what the ways out of the sandbox are called there");
});

test(
  `W-58: ${writes.length} ways to write the lender's files by a child's shell: 0 work; with the lender's scope they do`,
  { skip },
  async () => {
    const tried = await inLanes(
      writes,
      async ({ name, script, never }, { box, kept, lent, scopes, snapshot, reset }) => {
        const around = { target: kept, above: kept.slice(0, kept.lastIndexOf("/")), own: lent };
        const attempt = async (scope: typeof scopes.child): Promise<boolean> => {
          const before = snapshot(lent);
          await box.run(script(around), { scope });
          if (name.includes("stays")) await new Promise((resolve) => setTimeout(resolve, lateMs));
          const changed = snapshot(lent) !== before;
          reset();
          return changed;
        };
        const through = await attempt(scopes.child);
        return { name, through, control: never === true ? null : await attempt(scopes.lender) };
      },
    );
    judge(tried);
  },
);

test(
  `${childAttempts.length} attempts of a child on its lender's repository, its denies and what yoi keeps: 0 work`,
  { skip },
  async () => {
    const tried = await inLanes(
      childAttempts,
      async ({ name, script, lenderCan }, { box, place, lent, scopes, snapshot, reset }) => {
        const attempt = async (scope: typeof scopes.child): Promise<boolean> => {
          const before = snapshot(lent);
          const { output, exit } = await box.run(script({ ...place, lent }), { scope });
          const through =
            output.includes(canary) || snapshot(lent) !== before || (exit.notes ?? []).length > 0;
          reset();
          return through;
        };
        const through = await attempt(scopes.child);
        return { name, through, control: lenderCan ? await attempt(scopes.lender) : null };
      },
    );
    judge(tried);
  },
);

describe("the lender's process and socket", { skip }, () => {
  const victim = spawn("sleep", ["60"], {
    env: { PATH: testPath, CANARY: canary, YOI_CALL: "parent/1.0" },
    stdio: "ignore",
  });
  const abstractName = `yoi-loans-${process.pid}`;
  const servers: Server[] = [];
  const listen = (at: string | { host: string; port: number }): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer((socket) => socket.end());
      server.once("error", reject);
      server.listen(at, () => resolve(server));
      servers.push(server);
    });
  let peers: Peers;
  before(async () => {
    const loopback = (await listen({ host: "127.0.0.1", port: 0 })).address();
    await listen(`\0${abstractName}`);
    if (victim.pid === undefined || loopback === null || typeof loopback === "string")
      throw new Error("no peers");
    peers = { victim: victim.pid, port: loopback.port, abstractName };
  });
  after(() => {
    victim.kill("SIGKILL");
    for (const server of servers) server.close();
  });

  test(`${peerAttempts.length} attempts of a child: 0 work; without a sandbox they do`, async () => {
    const attempt = (mode: "on" | "off") =>
      inLanes(
        peerAttempts,
        async ({ script }, { box, place, scopes, lent, snapshot }) => {
          const server = await listen(`${place.runtime}/pod.sock`);
          const before = snapshot(lent);
          const { output } = await box.run(script(place, peers), { scope: scopes.child });
          const through = /CANARY-7f3a|ESCAPED/.test(output) || snapshot(lent) !== before;
          await new Promise((resolve) => server.close(resolve));
          return through;
        },
        mode,
      );
    const held = await attempt("on");
    const open = await attempt("off");
    judge(
      peerAttempts.map(({ name }, index) => ({
        name,
        through: held[index] === true,
        control:
          open[index] === false && needPrivilege.has(name) && process.getuid?.() !== 0
            ? null
            : (open[index] ?? false),
      })),
    );
  });
});

test("a child's file tools write what is lent to it and nothing else; the lender's, with its whole scope, write all of it", async () => {
  const { place, lent, kept, scopes, snapshot, reset } = makeLentPlace();
  const { workspace } = place;
  const targets = [
    `${kept}/f.txt`,
    `${kept}/new.txt`,
    `${kept}/made/deep/new.txt`,
    `${kept}//sub/../sub/g.txt`,
    `${lent}/../beside.txt`,
    `${lent}/../../a/kept/f.txt`,
    `${workspace}/b/beside.txt`,
    `${workspace}/b/lent2/new.txt`,
    `${workspace}/new.txt`,
    `${workspace}/.git/HEAD`,
    `${workspace}/.git/refs/heads/evil`,
    `/proc/self/root${kept}/f.txt`,
    `/proc/self/cwd/evil.txt`,
    `/proc/${process.pid}/cwd/evil.txt`,
    `${place.data}/pods/parent/metadata.json`,
    `${place.data}/registry.sqlite`,
    `${place.runtime}/token`,
    `${workspace}/lent/file.txt`,
    `${workspace}/.yoi/config.toml`,
    `${workspace}/.git/hooks/pre-commit`,
    `${lent}/.git/hooks/pre-commit`,
    `${lent}/.git/config`,
  ];
  /** These the lender may write: for the others it is no control. */
  const lenders = targets.slice(0, 11).filter((path) => !path.includes(".."));
  const write = async (scope: typeof scopes.child, path: string): Promise<boolean> => {
    const files = createScopedFiles({ scope: () => scope, protection: place.protection });
    try {
      await files.write(path, Buffer.from("evil"), { kind: "anything" });
      return true;
    } catch (thrown) {
      assert.ok(
        thrown instanceof YoiError && ["out_of_scope", "io_failed"].includes(thrown.code),
        String(thrown),
      );
      return false;
    }
  };
  try {
    const before = snapshot("/nothing");
    for (const path of targets) assert.equal(await write(scopes.child, path), false, path);
    assert.equal(snapshot("/nothing"), before);
    assert.equal(await write(scopes.child, `${lent}/f.txt`), true);
    reset();
    for (const path of lenders) assert.equal(await write(scopes.lender, path), true, `control: ${path}`);
    assert.notEqual(snapshot("/nothing"), before);
  } finally {
    place.remove();
  }
});

test("a child that makes links or files of .yoi and .git in its part keeps its shell", { skip }, async () => {
  const { place, lent, scopes } = makeLentPlace();
  const box = await harness({ place, unixSockets: false });
  try {
    rmSync(join(lent, ".git"), { recursive: true });
    for (const name of [".yoi", ".git"]) {
      for (const make of [
        `ln -s /tmp ${lent}/${name}`,
        `ln -s sub ${lent}/${name}`,
        `ln -s nowhere ${lent}/${name}`,
        `mkfifo ${lent}/${name}`,
      ]) {
        const made = await box.run(`${make} && echo made`, { scope: scopes.child });
        assert.equal(made.output, "made\n", make);
        const { output } = await box.run(`rm -f ${lent}/${name}; echo still here`, { scope: scopes.child });
        assert.equal(output, "still here\n", make);
      }
    }
  } finally {
    await box.close();
  }
});
