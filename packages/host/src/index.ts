/** The machine behind ports. */
export type { AppendFile, Files, FileStat } from "./files.ts";
export type { EndSignal, Host, ProcessControl, Processes, ProcessIdentity } from "./host.ts";
export type { DiskEffect, DiskOperation, DiskOperationKind, FaultPlan } from "./memory/disk.ts";
export { crashAt, failNth, HostCrashed, noFaults } from "./memory/disk.ts";
export type { MemoryHost, MemoryHostOptions, SimulatedDisk } from "./memory/memory-host.ts";
export { memoryHost } from "./memory/memory-host.ts";
export { moveTree } from "./node/move-tree.ts";
export { nodeHost } from "./node/node-host.ts";
export type { OutputFile } from "./node/output-file.ts";
export { createOutputFile } from "./node/output-file.ts";
export { createPrivateFile } from "./node/private-file.ts";
export { nodeSocketFiles } from "./node/socket-files.ts";
export { secureBytes } from "./node/secure-bytes.ts";
export type { Locks } from "./locks.ts";
export { sweepTemporaries, temporaryOf } from "./temporary.ts";
export { raise, stopOwnGroup } from "./node/raise.ts";
