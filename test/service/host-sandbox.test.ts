/** A shell of a hosted Pod and that Pod's own socket: out of reach in the sandbox, the network granted or not; without a sandbox it is in reach. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { describe } from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { Hosting } from "./hosted.ts";

/** Tries to connect, and to read the token; says what came of it. */
const attempt = `perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); print connect(S, sockaddr_un($ARGV[0])) ? "connected" : "not connected"' "$SOCKET"; [ -r "$TOKEN" ] && echo ", read" || echo ", not read"`;

const rows = [
  { sandbox: "on", network: false, said: "not connected, not read", skip: noBubblewrap() },
  { sandbox: "on", network: true, said: "not connected, not read", skip: noBubblewrap() },
  { sandbox: "off", network: false, said: "connected, read", skip: false as const },
] as const;

const hasPerl = existsSync("/usr/bin/perl");

describe("a shell of a hosted Pod", { concurrency: true }, () => {
  for (const { sandbox, network, said, skip } of rows) {
    const name = `sandbox ${sandbox}, network ${network ? "granted" : "not granted"}: ${said}`;
    test(name, { skip: hasPerl ? skip : "no perl" }, async () => {
      await using hosting = new Hosting();
      const { home } = hosting.home;
      if (network) {
        mkdirSync(join(home, "config"), { recursive: true });
        writeFileSync(join(home, "config", "config.toml"), "[sandbox]\nnetwork = true\n");
      }
      // Where the socket will be is known before: it is named by the Pod alone.
      const run = join(home, "run");
      const socket = join(run, "s", "148de9c5a7a4");
      const command = attempt.replace("$SOCKET", socket).replace("$TOKEN", join(run, "token"));
      const call = { name: "Bash", arguments: { command } };
      const scenario = JSON.stringify({ steps: [{ tool_calls: [call] }, { text: "Done." }] });
      const pod = await hosting.startPod("p", scenario, ["--sandbox", sandbox]);
      assert.equal(pod.socket, socket);
      const client = await pod.client();
      const parts = [{ type: "text", text: "go" }];
      await client.endOf(await client.ask("submit", { parts, submission: "one" }));
      client.drop();
      const result = pod.log().find(({ kind }) => kind === "tool_result");
      const content = String((result?.["item"] as { content?: string } | undefined)?.content);
      assert.equal(content, said);
    });
  }
});
