/** LoadedSkills: which skills stand in the history that the model reads, so that none is given twice. */
import { type CommittedItem, type SkillText, utf8Length } from "@yoi/base";

export interface LoadedSkills {
  /** This very text of it stands there whole. */
  has(skill: Pick<SkillText, "path" | "sha256">): boolean;
  /** It is about to stand there. */
  note(skill: Pick<SkillText, "path" | "sha256">): void;
  /** Adds what committed items say; one that was shortened since does not stand there. */
  recall(items: readonly CommittedItem[]): void;
  forget(): void;
}

export function createLoadedSkills(): LoadedSkills {
  const digests = new Map<string, string>();
  return {
    has: ({ path, sha256 }) => digests.get(path) === sha256,
    note: ({ path, sha256 }) => void digests.set(path, sha256),
    recall: (items) => {
      for (const { item } of items) {
        if (item.type !== "system_item" || item.kind !== "skill" || item.source !== "host") continue;
        const { path, sha256, text_bytes: bytes } = item.record ?? {};
        if (typeof path !== "string" || typeof sha256 !== "string") continue;
        if (bytes === utf8Length(item.body)) digests.set(path, sha256);
        else digests.delete(path);
      }
    },
    forget: () => digests.clear(),
  };
}
