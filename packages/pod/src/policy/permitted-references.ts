/** References under the rules: what a rule denies to Read is not attached either, whoever typed it. */
import { fileRefText, type FileRefPart } from "@yoi/base";
import type { Attachments } from "@yoi/tools";
import type { PermissionGate } from "./permission-gate.ts";

type Attach = (references: readonly FileRefPart[]) => Promise<Attachments>;

/** `attach` of what no rule denies; each other reference is a warning. An `ask` is answered: a person named the file. */
export function permittedAttach(gate: Pick<PermissionGate, "denialOfReading">, attach: Attach): Attach {
  return async (references) => {
    const allowed: FileRefPart[] = [];
    const denied = new Set<string>();
    for (const reference of references) {
      const rule = gate.denialOfReading(reference.path);
      if (rule === null) allowed.push(reference);
      else denied.add(`${fileRefText(reference.path)} was not attached: ${rule} forbids reading it.`);
    }
    const { items, warnings } = await attach(allowed);
    return { items, warnings: [...denied, ...warnings] };
  };
}
