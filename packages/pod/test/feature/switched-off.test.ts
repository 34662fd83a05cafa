/** Features that are switched off: not tried, not alarmed about, and in the report as any other that is not installed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { featureId } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { recordOfReports } from "../../src/feature/record-of-reports.ts";
import { switchedOffBy } from "../../src/feature/switched-off.ts";
import { tryFeatures } from "../../src/feature/try-install.ts";
import { approving, declared, descriptorOf, install, moduleOf, toolOf } from "./features.ts";

const on = { enabled: true, origin: "built-in" };
const off = { enabled: false, origin: "/c/profiles/solo.toml:3" };
const look = declared("Look");
const modules = () => [
  moduleOf(descriptorOf("builtin:task", { tools: [look] }), ({ tools }) =>
    tools.register({ name: "Look", create: () => toolOf(look) }),
  ),
  moduleOf(descriptorOf("builtin:other")),
];

test("A2-73: a feature that a profile or a config file switches off is reported by the same report, with who did it", async () => {
  const switchedOff = switchedOffBy({ task: off, pods: on, tickets: off });
  const machine = memoryHost({ seed: 1 });
  const tried = await tryFeatures({
    ...machine,
    modules: modules(),
    existingTools: [],
    switchedOff,
    host: approving,
  });
  const [task, other] = tried;
  assert.deepEqual(
    [task?.feature, task?.status, task?.tools, task?.granted],
    ["builtin:task", "skipped", [], []],
  );
  assert.deepEqual(task?.diagnostics, [
    { severity: "warning", message: "It is switched off by /c/profiles/solo.toml:3." },
  ]);
  assert.equal(other?.status, "installed");
  assert.match(JSON.stringify(recordOfReports(tried)), /switched off by \/c\/profiles\/solo\.toml:3/);
  // Control: with nobody switching it off it is there.
  const [alone] = await tryFeatures({ ...machine, modules: modules(), existingTools: [], host: approving });
  assert.deepEqual([alone?.status, alone?.tools], ["installed", ["Look"]]);
});

test("nobody is alarmed by what was wanted, its tools are free for others, and names of third parties are not reached", async () => {
  const { installed, alerts } = await install(modules(), {
    switchedOff: switchedOffBy({ task: off, pods: off, tickets: off }),
  });
  assert.deepEqual([installed.tools.length, installed.ownerOf("Look"), alerts.last], [0, null, []]);
  const by = switchedOffBy({ task: off, pods: off, tickets: off });
  assert.deepEqual(
    [
      "builtin:task",
      "builtin:pods",
      "builtin:tickets",
      "builtin:ticket-store",
      "user:task",
      "builtin:other",
    ].map((id) => by(featureId(id))),
    [off.origin, off.origin, off.origin, off.origin, null, null],
  );
  const byDefault = switchedOffBy({ task: on, pods: on, tickets: { enabled: false, origin: "built-in" } });
  assert.equal(byDefault(featureId("builtin:tickets")), "default; `features.tickets = true` switches it on");
});
