/** The text of a SKILL.md: YAML between two lines of `---`, then Markdown. Whatever the text is, nothing is thrown for it. */
import {
  isJsonObject,
  isSkillName,
  type JsonObject,
  messageOf,
  skillNameCharsMax,
  utf8Length,
  whyYamlBeyond,
} from "@yoi/base";
import { isMap, isNode, isScalar, Lexer, LineCounter, parseDocument, type ParsedNode, visit } from "yaml";
import {
  skillDescriptionCharsMax,
  skillFrontBounds,
  skillFrontBytesMax,
  type SkillHead,
  skillLinesMax,
} from "./skill.ts";

/** A sentence without its end, about the line, from 1; null: about the file. */
export interface SkillFault {
  readonly line: number | null;
  readonly what: string;
}

export type ParsedSkill =
  | {
      readonly ok: true;
      readonly head: SkillHead;
      readonly body: string;
      readonly remarks: readonly SkillFault[];
    }
  | { readonly ok: false; readonly fault: SkillFault };

const frontMatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:(?<=\n)|\r?\n)---[ \t]*(?:\r?\n|$)/;

/** @param folder the name of the folder that it stands in. */
export function parseSkill(text: string, folder: string): ParsedSkill {
  const found = frontMatter.exec(text);
  const yaml = found?.[1];
  if (found === null || yaml === undefined)
    return fault(1, "it does not begin with front matter between two lines of ---");
  const bytes = utf8Length(yaml);
  if (bytes > skillFrontBytesMax)
    return fault(1, `its front matter has ${bytes} bytes, and at most ${skillFrontBytesMax} are read`);
  const front = readYaml(yaml);
  if (!front.ok) return front;
  const { lineOf, fields } = front;
  const name = fields["name"];
  if (typeof name !== "string" || name === "") return fault(null, "its front matter has no name");
  if (!isSkillName(name))
    return fault(
      lineOf("name"),
      `the name ${shown(name)} is none of a skill: use lower-case letters, digits and single hyphens, at most ${skillNameCharsMax}`,
    );
  if (name !== folder)
    return fault(
      lineOf("name"),
      `its name is ${name} and its folder is ${shown(folder)}: make them the same`,
    );
  const description = textOf(fields["description"]).replaceAll(/\s+/g, " ");
  if (description === "") return fault(lineOf("description"), "its front matter has no description");
  const chars = [...description].length;
  if (chars > skillDescriptionCharsMax)
    return fault(
      lineOf("description"),
      `its description has ${chars} characters, and at most ${skillDescriptionCharsMax} can be shown to a model`,
    );
  const body = text.slice(found[0].length).trim();
  if (body === "") return fault(null, "there is nothing behind its front matter");
  const lines = body.split("\n").length;
  const remarks =
    lines > skillLinesMax
      ? [
          {
            line: null,
            what: `it has ${lines} lines, and a model reads all of them: keep it within ${skillLinesMax}`,
          },
        ]
      : [];
  return { ok: true, head: headOf(name, description, fields), body, remarks };
}

function headOf(name: string, description: string, fields: JsonObject): SkillHead {
  const license = textOf(fields["license"]);
  const compatibility = textOf(fields["compatibility"]);
  const tools = toolsOf(fields["allowed-tools"]);
  const { metadata } = fields;
  return {
    name,
    description,
    ...(license === "" ? {} : { license }),
    ...(compatibility === "" ? {} : { compatibility }),
    ...(tools.length === 0 ? {} : { allowed_tools: tools }),
    ...(isJsonObject(metadata) ? { metadata } : {}),
  };
}

type FrontMatter = {
  readonly ok: true;
  readonly fields: JsonObject;
  /** Of a key, in the file. */
  readonly lineOf: (key: string) => number | null;
};

/** Every scalar is the text that stands there: a version `1.0` is no number. */
function readYaml(yaml: string): FrontMatter | Extract<ParsedSkill, { readonly ok: false }> {
  const beyond = whyYamlBeyond(new Lexer().lex(yaml), skillFrontBounds);
  if (beyond !== null) return fault(1, `its front matter is ${beyond}`);
  const counter = new LineCounter();
  try {
    const document = parseDocument(yaml, {
      schema: "failsafe",
      lineCounter: counter,
      prettyErrors: false,
      // A warning of it would go to stderr of the whole program.
      logLevel: "error",
      // It compares each key with all others.
      uniqueKeys: false,
    });
    const lineAt = (offset: number) => counter.linePos(offset).line + 1;
    const [error] = document.errors;
    if (error !== undefined)
      return fault(
        lineAt(error.pos[0]),
        `its front matter is no YAML (${firstSentence(error.message)}): a value with ": " or "#" in it needs quotation marks`,
      );
    const odd = oddKey(document.contents);
    if (odd !== null) return fault(lineAt(odd.offset), odd.what);
    // An alias would let a few lines stand for gigabytes.
    const fields: unknown = document.toJS({ maxAliasCount: 0 });
    if (!isJsonObject(fields)) return fault(2, "its front matter is no list of keys and values");
    const lineOf = (key: string): number | null => {
      const at = new RegExp(`^${key}[ \\t]*:`, "m").exec(yaml)?.index;
      return at === undefined ? null : lineAt(at);
    };
    return { ok: true, fields, lineOf };
  } catch (error) {
    return fault(null, `its front matter cannot be read (${firstSentence(messageOf(error))})`);
  }
}

/** Of two keys that are the same, the parser would take the last; one that is a list or a map, it would make a text of. */
function oddKey(contents: ParsedNode | null): { readonly offset: number; readonly what: string } | null {
  if (!isMap(contents)) return null;
  const seen = new Set<string>();
  for (const { key } of contents.items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    if (seen.has(name)) return { offset: key.range[0], what: `the key ${shown(name)} stands there twice` };
    seen.add(name);
  }
  let offset: number | null = null;
  visit(contents, {
    Pair: (_, { key }) => {
      if (key === null || isScalar(key)) return undefined;
      offset = (isNode(key) ? key.range?.[0] : null) ?? contents.range[0];
      return visit.BREAK;
    },
  });
  return offset === null
    ? null
    : { offset, what: "a key of its front matter is a list, a map or an alias: only texts are keys" };
}

function firstSentence(message: string): string {
  return message.split("\n", 1)[0]?.replace(/[.:]\s*$/, "") ?? message;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** A list, or words with commas or white space between them; what stands in round brackets belongs to the word before. */
function toolsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string");
  return textOf(value).match(/[^\s,(]+(?:\([^()]*\))?/g) ?? [];
}

function shown(text: string): string {
  return JSON.stringify(text.length > skillNameCharsMax ? `${text.slice(0, skillNameCharsMax)}...` : text);
}

function fault(line: number | null, what: string): Extract<ParsedSkill, { readonly ok: false }> {
  return { ok: false, fault: { line, what } };
}
