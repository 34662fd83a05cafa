/** Rules about ambient powers: each is used only where powers.ts says it lives. */
import { isBuiltin } from "node:module";
import type { Fault } from "./fault.ts";
import type { ModuleUse } from "./facts.ts";
import type { Use } from "./paths.ts";
import {
  globals,
  modules,
  packageExports,
  powerfulPaths,
  powers,
  type Grant,
  type Power,
  type PowerName,
  type Surface,
} from "./powers.ts";
import type { SourceFile, Workspace } from "./workspace.ts";

/** Objects that are only another way to the same ones. */
const globalObjects = new Set(["globalThis", "global"]);
const modulesAgain = new Set(["default", "promises", "posix", "win32"]);
/** Members of a function that call it: the same as the function itself. */
const callers = new Set(["call", "apply", "bind"]);

export function checkPowers(workspace: Workspace): readonly Fault[] {
  return [...workspace.files.values()].flatMap(checkFile);
}

function checkFile(file: SourceFile): readonly Fault[] {
  const faults = new Map<string, Fault>();
  const refuse = (key: string, line: number, what: string, rule: string, instead: string) => {
    if (!faults.has(key)) faults.set(key, { path: file.path, line, what, rule, instead });
  };
  const judge = (key: string, line: number, what: string, grant: Grant) => {
    if (grant === "none" || livesIn(powers[grant], file)) return;
    const { does, instead } = powers[grant];
    refuse(key, line, `${what} ${does}`, `power/${grant}`, `${home(grant)}: ${instead}.`);
  };

  for (const use of file.facts.globalUses) {
    const path = through(use.path, globalObjects);
    const [name, ...rest] = path;
    const what = use.path.join(".");
    const key = `${use.line} ${what}`;
    if (name === undefined) {
      if (use.as === "test") continue;
      refuse(
        key,
        use.line,
        `${what} as a value hides what is used of it`,
        "power/global",
        "Name the global.",
      );
      continue;
    }
    const surface = Object.hasOwn(globals, name) ? globals[name] : undefined;
    if (surface === undefined) {
      refuse(
        key,
        use.line,
        `"${name}" is declared nowhere`,
        "power/global",
        "Globals stand in scripts/layers/powers.ts.",
      );
    } else judge(key, use.line, what, grantOf(surface, rest, use.as));
  }

  for (const use of file.facts.moduleUses) {
    const builtin = isBuiltin(use.specifier);
    const module = use.specifier.replace(/^node:/, "");
    const table = builtin ? modules : packageExports;
    const surface = Object.hasOwn(table, module) ? table[module] : undefined;
    if (!builtin && surface === undefined) continue; // import-rules.ts judges it
    const path = through(use.path, modulesAgain);
    const what = [builtin ? `node:${module}` : module, ...use.path].join(".");
    const key = `${module} ${use.path[0] ?? ""}`;
    if (surface === undefined) {
      refuse(
        key,
        use.line,
        `"${use.specifier}" is not in the table`,
        "power/module",
        "Modules stand in scripts/layers/powers.ts.",
      );
      continue;
    }
    const grant = moduleGrant(surface, path, use);
    if (use.exported && grant !== "none") {
      refuse(
        `${key} export`,
        use.line,
        `${what} is handed on as an export`,
        `power/${grant}`,
        "Export a port instead.",
      );
    }
    judge(`${key} ${grant}`, use.line, what, grant);
  }

  for (const { text, line } of file.facts.texts) {
    for (const { pattern, grant } of powerfulPaths) {
      if (pattern.test(text)) judge(`${line} ${text}`, line, JSON.stringify(text), grant);
    }
  }
  return [...faults.values()];
}

function through(path: readonly string[], objects: ReadonlySet<string>): readonly string[] {
  const first = path.findIndex((name) => !objects.has(name));
  return first === -1 ? [] : path.slice(first);
}

function grantOf(surface: Surface, path: readonly string[], as: Use["as"]): Grant {
  const [member] = path;
  if (member !== undefined && !callers.has(member)) {
    return Object.hasOwn(surface.members, member)
      ? (surface.members[member] ?? surface.others)
      : surface.others;
  }
  if (member === undefined) {
    if (as === "test") return "none";
    if (as === "construct" && surface.construct !== undefined) return surface.construct;
  }
  return surface.whole;
}

/** A module imported as a whole is judged by what is done with it, unless all of it is one power. */
function moduleGrant(surface: Surface, path: readonly string[], use: ModuleUse): Grant {
  const mixed = Object.keys(surface.members).length > 0;
  return path.length === 0 && use.as === "name" && mixed ? "none" : grantOf(surface, path, use.as);
}

function livesIn(power: Power, file: SourceFile): boolean {
  return power.places.some((place) => {
    const slash = place.indexOf("/");
    if (slash === -1) return place === file.package;
    const inside = place.slice(slash + 1);
    return (
      place.slice(0, slash) === file.package &&
      (file.inside === `${inside}.ts` || file.inside.startsWith(`${inside}/`))
    );
  });
}

function home(name: PowerName): string {
  const { places }: Power = powers[name];
  return places.length === 0 ? "It is allowed nowhere" : `It lives only in ${places.join(", ")}`;
}
