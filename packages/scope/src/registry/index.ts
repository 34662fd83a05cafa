/** The allocation registry: one live writer for any path among all Pods of one data directory. */
export { damagedFilesMax, registryBusyMs } from "./registry-file.ts";
export type { RegistryFileOptions } from "./registry-file.ts";
export type { Allocation, ChildAllocation, Registry } from "./registry.ts";
export type { Holder, RegistryOptions } from "./sqlite-registry.ts";
export { openRegistry } from "./sqlite-registry.ts";
