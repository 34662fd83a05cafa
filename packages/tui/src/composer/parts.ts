/** What a composer holds as the parts that are sent, and parts as a composer that gives them again. */
import { fileRefText, type InputPart, joinTexts, openingSkill, parsePrompt, partText } from "@yoi/base";
import { commandNamed } from "../commands/table.ts";
import { type Chip, chipPart, noChips, plainText, splitAtSigns } from "./chip.ts";
import { asChip, type Composer, composerOf, composerOfDraft, type Draft, inlineCharsMax } from "./state.ts";

/** What is sent: the texts between chips as they were typed, with what they refer to, and each chip whole. */
export function partsOf({ text, chips }: Draft): readonly InputPart[] {
  const parts = splitAtSigns(text).flatMap((piece, at): readonly InputPart[] => {
    const chip = chips.get(piece);
    return chip === undefined ? partsTyped(piece, at === 0) : [chipPart(chip)];
  });
  return joinTexts(parts);
}

/** A skill is loaded where the input begins: behind a chip, what looks like it is text. A space that stands before it while it is read makes it that. */
function partsTyped(text: string, isBeginning: boolean): readonly InputPart[] {
  if (isBeginning || openingSkill(text) === null) return parsePrompt(text);
  const [first, ...rest] = parsePrompt(` ${text}`);
  return first?.type === "text" ? [{ ...first, text: first.text.slice(1) }, ...rest] : [];
}

/** An input that comes back, such as one that waited: its parts are what `partsOf` gives again. */
export function composerOfParts(parts: readonly InputPart[]): Composer {
  const joined = joinTexts(
    parts.map((part) => (part.type === "text" ? { ...part, text: plainText(part.text) } : part)),
  );
  const typed = joined.map(asTyped).join("");
  const isTyped = !joined.some(isCalledAsCommand) && isSame(parsePrompt(typed), joined);
  if (isTyped && typed.length <= inlineCharsMax) return composerOf(typed);
  let chips = noChips;
  let text = "";
  for (const [at, part] of joined.entries()) {
    const isInline =
      part.type === "text" &&
      isSame(partsTyped(part.text, at === 0), [part]) &&
      part.text.length <= inlineCharsMax;
    const placed = isInline ? { chips, sign: part.text } : asChip(chips, chipOf(part));
    chips = placed.chips;
    text += placed.sign;
  }
  return composerOfDraft({ text, chips });
}

/** With a backslash before each sign that would refer to a file, and before the one that would load a skill. */
function asTyped(part: InputPart, at: number): string {
  if (part.type !== "text") return partText(part);
  const text = part.text.replace(/(?<=^|\s)@(?=\S)/g, "\\@");
  return at === 0 && openingSkill(text) !== null ? `\\${text}` : text;
}

/** Typed as it is, it would be that command. */
function isCalledAsCommand(part: InputPart): boolean {
  return part.type === "skill_ref" && commandNamed(part.name) !== null;
}

function chipOf(part: InputPart): Chip {
  switch (part.type) {
    case "text":
      return { kind: "paste", text: part.text };
    case "file_ref":
      return { kind: "file_ref", path: part.path };
    case "skill_ref":
      return { kind: "skill_ref", name: part.name };
  }
}

function isSame(a: readonly InputPart[], b: readonly InputPart[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A reference to a file as it can be typed: null where the path has a line break. */
export function typedRef(path: string): string | null {
  const text = fileRefText(path);
  return isSame(parsePrompt(text), [{ type: "file_ref", path }]) ? text : null;
}

/**
 * The prompt that loads a skill, with what stands behind the skill's name.
 * @param from where that name begins in the text. Null: it does not stand there, but in a chip.
 */
export function withSkill(composer: Composer, name: string, from: number): Composer | null {
  if (!composer.text.startsWith(name, from)) return null;
  const rest = composer.text.slice(from + name.length);
  const { chips, sign } = isCalledAsCommand({ type: "skill_ref", name })
    ? asChip(composer.chips, { kind: "skill_ref", name })
    : { chips: composer.chips, sign: `/${name}` };
  return composerOfDraft({ text: sign + rest, chips });
}
