/** Folders of skills in a temporary directory, read by the real reader. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ScopeRule } from "@yoi/base";
import { protectionOf } from "@yoi/scope";
import { openSkills, type SkillPlace, skillReader, type SkillSource } from "../../src/index.ts";

export interface Skills extends Disposable {
  readonly root: string;
  path(name: string): string;
  put(name: string, text: string | Uint8Array): string;
  /** A whole SKILL.md, in a folder of its name. */
  skill(directory: string, name: string, body?: string, more?: string): string;
  /** In the order in which they are given. */
  places(
    directories: Readonly<Record<string, SkillSource>>,
    deny?: readonly ScopeRule[],
    mayRead?: (path: string) => boolean,
  ): readonly SkillPlace[];
  open(directories?: Readonly<Record<string, SkillSource>>): ReturnType<typeof openSkills>;
}

export const skillFileText = (name: string, body = `Do ${name}.`, more = "") =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n${body}\n`;

export function makeSkills(userId: number | null = process.getuid?.() ?? null): Skills {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-skills-")));
  const path = (name: string) => join(root, name);
  const put = (name: string, text: string | Uint8Array) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
    return path(name);
  };
  const places: Skills["places"] = (directories, deny = [], mayRead = () => true) => {
    const reader = skillReader({
      directories: Object.keys(directories).map(path),
      deny,
      mayRead,
      protection: protectionOf({ workspace: root, home: null, own: [], spill: null }),
      userId,
    });
    return Object.entries(directories).map(([name, source]) => ({ source, directory: path(name), reader }));
  };
  return {
    root,
    path,
    put,
    skill: (directory, name, body, more) =>
      put(`${directory}/${name}/SKILL.md`, skillFileText(name, body, more)),
    places,
    open: (directories = { a: "project" }) => openSkills(places(directories)),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
