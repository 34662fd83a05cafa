/** The Task feature: a list of tasks that the model keeps and the user sees. It owns its store; the host lends it tools, hooks and a place in the log. */
import { type FeatureModule, toolContribution } from "@yoi/feature";
import { requestHookName, taskDescriptor, usageHookName } from "./task-descriptor.ts";
import { TaskReminder } from "./task-reminder.ts";
import { taskState } from "./task-state.ts";
import { TaskStore } from "./task-store.ts";
import { taskTools } from "./task-tools.ts";

export function taskFeature(): FeatureModule {
  const store = new TaskStore();
  const reminder = new TaskReminder(store);
  const tools = taskTools(store);
  return {
    descriptor: taskDescriptor(tools),
    state: taskState(store, reminder),
    install: (context) => {
      for (const tool of tools) context.tools.register(toolContribution(tool));
      context.hooks.preLlmRequest(requestHookName, reminder.beforeRequest);
      context.hooks.preToolCall(usageHookName, reminder.beforeToolCall);
    },
  };
}
