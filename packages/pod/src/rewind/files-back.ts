/** FilesBack: which files the tools touched behind a place. */
import { isJsonObject, itemOf, type LogEntry } from "@yoi/base";

/** Is shown the entries behind a place, oldest first. */
export interface FilesTouched {
  see(entry: LogEntry): void;
  /** Real paths, each once, in the order of the first change. */
  readonly paths: readonly string[];
}

/** Their results say in their record which file they wrote. */
const writingTools: ReadonlySet<string> = new Set(["Write", "Edit"]);

/** What Write and Edit wrote. Commands of a shell say nothing of what they changed. */
export function filesTouched(): FilesTouched {
  const paths = new Set<string>();
  return {
    see(entry) {
      const item = itemOf(entry);
      if (item?.type !== "tool_result" || item.is_error || !writingTools.has(item.name)) return;
      const path = isJsonObject(item.record) ? item.record["path"] : undefined;
      if (typeof path === "string") paths.add(path);
    },
    get paths() {
      return [...paths];
    },
  };
}
