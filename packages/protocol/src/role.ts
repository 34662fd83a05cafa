/** Roles: who a connection is, and which methods that one may call. */
import type { MethodName } from "./method.ts";

/** user: the person who owns the Pod. peer: another Pod of the same user. send_only: a script that only delivers. child: a child, to its parent. */
export const roles = ["user", "child", "peer", "send_only"] as const;
export type Role = (typeof roles)[number];

/** What each role may call; `hello` and `ping` are everybody's. Only the user stops, resumes, approves and shuts down. */
export const methodsOfRole: Readonly<Record<Role, ReadonlySet<MethodName>>> = {
  user: new Set<MethodName>([
    "show",
    "submit",
    "notify",
    "resume",
    "cancel",
    "pause",
    "answer_approval",
    "restore_pod",
    "register_peer",
    "compact",
    "undo_compaction",
    "list_rewind_targets",
    "rewind",
    "queue",
    "unqueue",
    "run_command",
    "stop_command",
    "complete_path",
    "set_title",
    "shutdown",
  ]),
  peer: new Set<MethodName>(["show", "submit", "notify"]),
  send_only: new Set<MethodName>(["submit", "notify"]),
  child: new Set<MethodName>(["pod_event"]),
};

/** Who gets the stream of events. */
export const streamRoles: ReadonlySet<Role> = new Set<Role>(["user", "peer"]);

export function mayCall(role: Role, method: MethodName): boolean {
  return method === "hello" || method === "ping" || methodsOfRole[role].has(method);
}
