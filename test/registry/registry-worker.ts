/** A process of its own that holds a registry of a data directory: takes what it is told, and says what came of it. */
import { once } from "node:events";
import { podName, YoiError } from "@yoi/base";
import { moveTree, nodeHost } from "@yoi/host";
import { openRegistry } from "@yoi/scope/registry";

const [, , path = ""] = process.argv;
const host = nodeHost();
const registry = openRegistry({
  ...host,
  path,
  move: moveTree,
  // Nobody here has a lease or metadata: a row counts while its process lives.
  isHeld: async () => false,
  isLent: async () => false,
  holders: async () => [],
  rebuild: async () => [],
});
const owner = host.processes.self();

type Order =
  | { readonly verb: "register"; readonly name: string; readonly target: string }
  | { readonly verb: "churn"; readonly name: string; readonly target: string };

process.send?.("ready");
for (;;) {
  const [order] = (await once(process, "message")) as [Order];
  const row = {
    name: podName(order.name),
    owner,
    socket: null,
    scope: { allow: [{ target: order.target, permission: "write" as const, recursive: true }], deny: [] },
    delegatedFrom: null,
    loan: null,
    segment: null,
    epoch: null,
  };
  try {
    await registry.register(row);
    process.send?.("ok");
    // Until it is killed: each verb in turn.
    for (let epoch = 0; order.verb === "churn"; epoch += 1) {
      const loan = {
        id: `loan${epoch}`,
        scope: {
          ...row.scope,
          allow: row.scope.allow.map((rule) => ({ ...rule, target: `${rule.target}/a` })),
        },
      };
      const child = podName(`${order.name}-child`);
      await registry.delegate(
        row.name,
        { name: child, owner, socket: null, segment: null, epoch: null },
        loan,
      );
      await registry.moved({ ...row, segment: "s", epoch });
      await registry.reclaim(row.name, child, loan.id);
      await registry.release(row.name);
      await registry.register(row);
    }
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    process.send?.(error.code);
  }
}
