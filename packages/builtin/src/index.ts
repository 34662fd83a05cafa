/** Features that ship with yoi. */
export { taskFeature } from "./task/task-feature.ts";
