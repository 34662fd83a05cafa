/** SkillPlace: a folder of skills, and how it is read. Reading is handed in, so that a link planted in it cannot point anywhere else. */
import type { SkillSource } from "./skill.ts";

/** All throw YoiErrors for what is refused or cannot be read: what of it, without who, as the end of a sentence. */
export interface SkillReader {
  /** Directories, and links that may lead to one, by the bytes of their names; null: there is no such directory. `isCut`: it holds more than is looked at. */
  folders(directory: string): Promise<{ readonly names: readonly string[]; readonly isCut: boolean } | null>;
  /** A regular file, with its real path; null: there is none. Throws limit_exceeded beyond `bytesMax`. */
  read(path: string, bytesMax: number): Promise<{ readonly path: string; readonly bytes: Uint8Array } | null>;
  /** Regular files below a directory, relative to it, sorted. */
  files(
    directory: string,
    filesMax: number,
  ): Promise<{ readonly names: readonly string[]; readonly isCut: boolean }>;
  /** Whose the file or directory is: `ours` is of the user who runs yoi or of root. Null: there is none. */
  owner(path: string): "ours" | "foreign" | null;
}

export interface SkillPlace {
  readonly source: SkillSource;
  /** Each skill is a folder in it. It need not be there. */
  readonly directory: string;
  /** Names of skills that are not taken from here. */
  readonly withheld?: readonly string[];
  readonly reader: SkillReader;
}
