/** What the Task feature declares: everything that it will register, and nothing that it asks of the user. */
import { deepFreeze, type Tool } from "@yoi/base";
import { type FeatureDescriptor, featureId } from "@yoi/feature";
import { taskStateDeclaration } from "./task-state.ts";

export const requestHookName = "task-reminder-pre-request";
export const usageHookName = "task-reminder-tool-usage";

export function taskDescriptor(tools: readonly Tool[]): FeatureDescriptor {
  return deepFreeze({
    id: featureId("builtin:task"),
    runtime: "builtin",
    display_name: "Task tools",
    version: "1.0.0",
    description: "A list of tasks that lasts as long as the session, and a reminder of those left untouched.",
    authorities: [],
    tools: tools.map(({ definition, readOnly }) => ({ ...definition, read_only: readOnly, required: true })),
    hooks: [
      { name: requestHookName, point: "pre_llm_request", required: true },
      { name: usageHookName, point: "pre_tool_call", required: true },
    ],
    background_tasks: [],
    provides_services: [],
    requires_services: [],
    state: taskStateDeclaration,
  });
}
