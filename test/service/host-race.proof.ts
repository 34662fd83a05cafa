/** L1 and L2: many processes host one Pod at once, new or left by a killed owner with its socket: exactly one does, the others say who it is. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Proof } from "../support/proof.ts";
import type { YoiProcess } from "../support/yoi-process.ts";
import { attachRaw, Hosting } from "./hosted.ts";

/** As many as there are in the full count; a few in `npm test`, where each costs a third of a second of the machine. */
export async function oneHosts(starters: number): Promise<void> {
  await using hosting = new Hosting();
  writeFileSync(join(hosting.home.workspace, "s.yaml"), "steps:\n  - text: Done.\n");
  const first = await race(hosting, starters);
  first.host.kill("SIGKILL");
  await first.host.ended;
  assert.ok(existsSync(first.socket), "the killed one left its socket");
  const second = await race(hosting, starters);
  assert.equal(second.socket, first.socket);
  const client = await attachRaw(second.socket, second.token);
  await client.until("up to date", () => client.state !== null);
  client.drop();
  second.host.kill("SIGTERM");
  assert.equal((await second.host.ended).code, 143);
}

interface Won {
  readonly host: YoiProcess;
  readonly socket: string;
  readonly token: string;
}

async function race(hosting: Hosting, starters: number): Promise<Won> {
  const flags = ["-m", "scripted/s.yaml", "--sandbox", "off"];
  const all = Array.from({ length: starters }, () =>
    hosting.begin("pod", "start", "p", "--foreground", ...flags),
  );
  try {
    const outcomes = await Promise.all(
      all.map((one) =>
        one.waitFor(/^yoi-pod-ready\t/m).then(
          () => "hosts" as const,
          () => "refused" as const,
        ),
      ),
    );
    const [host, ...others] = all.filter((_, at) => outcomes[at] === "hosts");
    assert.ok(host !== undefined && others.length === 0, `${others.length + 1} of ${starters} host it`);
    const socket = /\t(\S+)\n$/.exec(host.output().stdout)?.[1] ?? "";
    const held = new RegExp(
      `^yoi: The Pod p is hosted by process ${host.pid} \\(since \\S+\\): \`yoi attach p\` shows it, \`yoi pod stop p\` ends it\\.$`,
    );
    for (const [at, one] of all.entries()) {
      if (outcomes[at] === "hosts") continue;
      const { code, stdout, stderr } = await one.ended;
      assert.equal(code, 1, stderr);
      assert.equal(stdout, "");
      assert.match(stderr.split("\n").at(-2) ?? "", held);
    }
    const run = join(hosting.home.home, "run");
    assert.deepEqual(readdirSync(run), ["s", "token"], "one token, and nothing is left of the others");
    return { host, socket, token: readFileSync(join(run, "token"), "utf8") };
  } catch (error) {
    for (const one of all) one.killGroup("SIGKILL");
    throw error;
  }
}

export const hostRace: Proof = {
  name: "64 processes host one Pod at once, fresh and after a killed owner: exactly one does",
  cases: { test: 0, prove: 10 },
  check: () => oneHosts(64),
};
