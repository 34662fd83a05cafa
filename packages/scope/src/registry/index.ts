/** The allocation registry: one live writer for any path among all Pods of one data directory. */
export type { Allocation, Registry } from "./registry.ts";
export type { RegistryOptions } from "./sqlite-registry.ts";
export { openRegistry } from "./sqlite-registry.ts";
