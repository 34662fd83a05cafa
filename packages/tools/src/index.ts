/** Read, Write, Edit, Glob, Grep and Bash on a scoped file system. */
export {
  type Attach,
  attachFiles,
  type Attachments,
  type AttachOptions,
  type Reference,
} from "./attach-file.ts";
export { heldBytesMax } from "./copies/command-files.ts";
export {
  createFilesBack,
  type FileOutcome,
  type FileReport,
  type FilesBack,
  type FileWish,
  type PutBack,
} from "./copies/files-back.ts";
export { knownFilesMax } from "./copies/known-files.ts";
export { movedWhy, staysWith } from "./copies/moved.ts";
export {
  type FileCopies,
  notKept,
  notKnown,
  readTouched,
  type Touched,
  touchedRecord,
} from "./copies/touched.ts";
export {
  type CompletedPaths,
  type CompletePath,
  type CompletePathOptions,
  pathCompletion,
} from "./complete-path.ts";
export { createShell, createTools, type ToolsOptions } from "./create-tools.ts";
export type { FeatureFetchOptions, GrantedFetch, GrantedResponse } from "./feature-handles/feature-fetch.ts";
export {
  featureFetch,
  featureFetchTimeoutMs,
  featureRedirectsMax,
  featureResponseBytesMax,
} from "./feature-handles/feature-fetch.ts";
export type { FeatureFilesOptions, FileGrant, GrantedFiles } from "./feature-handles/feature-files.ts";
export { featureFileBytesMax, featureFiles, featureNamesMax } from "./feature-handles/feature-files.ts";
export { coversHost, hostMatcher, isHostPattern } from "./feature-handles/host-patterns.ts";
export { lendable, type Lendable, type LendableOptions } from "./lendable.ts";
export type {
  Expected,
  FileIdentity,
  ListedDirectory,
  ListedEntry,
  ReadFile,
  ScopedFiles,
  Written,
} from "./scoped-files.ts";
export { createSeen, recallSeen, type Seen, type ShownRecord } from "./seen.ts";
export { createScopedFiles, fileBytesMax, listedEntriesMax } from "./scoped-files.ts";
export { commandTimeoutMaxS, type Shell, type ShellCommand, type ShellResult } from "./shell.ts";
export { findSkills } from "./skills/find-skills.ts";
export type { ReadSkill } from "./skills/read-skill.ts";
export {
  type FoundSkills,
  type Skill,
  skillsMax,
  type SkillProblem,
  type SkillSource,
} from "./skills/skill.ts";
export { attachSkill, openSkills, type SkillDesk } from "./skills/skill-desk.ts";
export type { SkillPlace, SkillReader } from "./skills/skill-place.ts";
export { skillReader } from "./skills/skill-reader.ts";
export { skillFiles } from "./skills/skill-text.ts";
export { skillTool } from "./skills/skill-tool.ts";
export { createWebTools, type WebToolsOptions } from "./web/create-web-tools.ts";
