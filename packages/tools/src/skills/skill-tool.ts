/** Skill: loads how something is done, when it is to be done. */
import { type Tool, type ToolOutput, YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";
import { readArguments, schemaOf } from "../arguments.ts";
import type { SkillDesk } from "./skill-desk.ts";
import { skillFile } from "./skill-text.ts";

const fields = {
  name: {
    type: "string",
    description: "Name of the skill. Without it, the skills that there are now are listed.",
    optional: true,
  },
  file: {
    type: "string",
    description:
      "A file of that skill, relative to its folder: shows that file instead, where the skill tells you to read it.",
    optional: true,
  },
} as const;

export function skillTool(desk: SkillDesk): Tool {
  return {
    definition: {
      name: "Skill",
      description:
        "Loads a skill: how a certain kind of work is done here. Load one before you begin work that its description fits; " +
        "its text follows in a note of kind skill. A skill that is loaded already needs no second call.",
      input_schema: schemaOf(fields),
    },
    readOnly: true,
    execute: async (args): Promise<ToolOutput> => {
      const { name, file } = readArguments("Skill", fields, args);
      if (name === undefined && file !== undefined)
        throw new YoiError("usage", "A file is one of a skill: give the name of that too.");
      if (name === undefined) return list(desk);
      const read = await desk.read(name);
      if (file !== undefined) {
        const content = await skillFile(read, file);
        return { summary: `Read ${quotePath(file)} of the skill ${name}`, content };
      }
      const text = await desk.text(read);
      if (desk.loaded.has(text))
        return { summary: `The skill ${name} is loaded already and has not changed: read it above` };
      desk.loaded.note(text);
      return { summary: `Loaded the skill ${name}: its text follows in a note`, skill: text };
    },
  };
}

async function list(desk: SkillDesk): Promise<ToolOutput> {
  const { skills } = await desk.find();
  const lines = skills.map(({ name, description }) => `${name}: ${description}`);
  const summary = skills.length === 1 ? "There is 1 skill" : `There are ${skills.length} skills`;
  return lines.length === 0 ? { summary } : { summary, content: lines.join("\n") };
}
