/** References under the rules: what a rule denies to Read or Skill is not attached either, whoever typed it. */
import { partText } from "@yoi/base";
import type { Attach, Reference } from "@yoi/tools";
import type { PermissionGate } from "./permission-gate.ts";

type Denials = Pick<PermissionGate, "denialOfReading" | "denialOfSkill">;

/** `attach` of what no rule denies; each other reference is a warning. An `ask` is answered: a person named it. */
export function permittedAttach(gate: Denials, attach: Attach): Attach {
  return async (references) => {
    const allowed: Reference[] = [];
    const denied = new Set<string>();
    for (const reference of references) {
      const rule = denialOf(gate, reference);
      if (rule === null) allowed.push(reference);
      else {
        const done =
          reference.type === "file_ref" ? "attached: RULE forbids reading it" : "loaded: RULE forbids it";
        denied.add(`${partText(reference)} was not ${done.replace("RULE", () => rule)}.`);
      }
    }
    const { items, warnings } = await attach(allowed);
    return { items, warnings: [...denied, ...warnings] };
  };
}

function denialOf(gate: Denials, reference: Reference): string | null {
  return reference.type === "file_ref"
    ? gate.denialOfReading(reference.path)
    : gate.denialOfSkill(reference.name);
}
