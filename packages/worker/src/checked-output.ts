/** A tool from elsewhere may give anything, whatever its type says: what can be committed of it is taken, the rest is said. */
import {
  type Image,
  imageTypes,
  isDepthWithin,
  isJsonObject,
  type JsonObject,
  jsonDepthMax,
  type SkillText,
  type ToolOutput,
  utf8Length,
} from "@yoi/base";
import type { WorkerLimits } from "./limits.ts";
import type { WorkerParts } from "./worker-parts.ts";

type OutputParts = Pick<WorkerParts, "observe"> & {
  readonly limits: Pick<WorkerLimits, "imagesMax" | "imageBytesMax" | "recordBytesMax">;
};

/** Texts are bounded later. Images beyond the limits are left out, which the content says; a record beyond its limit is left out with a warning. */
export function checkedOutput(name: string, output: unknown, parts: OutputParts): ToolOutput {
  const { summary, content, is_error, images, record, alerts, skill } = Object(output) as {
    [key: string]: unknown;
  };
  const pictures = images === undefined ? [] : imagesOf(images);
  if (
    typeof summary !== "string" ||
    (content !== undefined && typeof content !== "string") ||
    pictures === null
  ) {
    return { summary: `${name} ended and gave no result that can be read`, is_error: true };
  }
  const shown = withinLimits(pictures, parts.limits);
  const dropped = pictures.length - shown.length;
  const kept = record === undefined ? null : recordOf(record, parts.limits.recordBytesMax);
  if (record !== undefined && kept === null) {
    parts.observe({
      type: "warning",
      text: `${name} gave a record that is no JSON object of at most ${parts.limits.recordBytesMax} bytes: it is not kept, and ${name} will not know of this call after a restart.`,
    });
  }
  const texts = [
    ...(dropped === 0 ? [] : [`[${dropped} of ${pictures.length} images left out: too many or too large]`]),
    ...(content === undefined ? [] : [content]),
  ];
  return {
    summary,
    is_error: is_error === true,
    ...(texts.length === 0 ? {} : { content: texts.join("\n") }),
    ...(shown.length === 0 ? {} : { images: shown }),
    ...(kept === null ? {} : { record: kept }),
    ...(isSkillText(skill) ? { skill } : {}),
    ...(Array.isArray(alerts) ? { alerts: alertsOf(alerts) } : {}),
  };
}

/** Alerts of one result, and characters of one. */
export const alertsMax = 32;
export const alertCharsMax = 512;

function alertsOf(alerts: readonly unknown[]): readonly string[] {
  return alerts
    .filter((alert) => typeof alert === "string")
    .slice(0, alertsMax)
    .map((alert) => alert.slice(0, alertCharsMax));
}

/** Only tools of the host get this far with one. */
function isSkillText(value: unknown): value is SkillText {
  const { name, path, sha256, body } = Object(value) as { [key: string]: unknown };
  return [name, path, sha256, body].every((text) => typeof text === "string");
}

/** Null: not all of it are images. */
function imagesOf(value: unknown): readonly Image[] | null {
  if (!Array.isArray(value)) return null;
  const images = value.map(imageOf);
  return images.every((image) => image !== null) ? images : null;
}

function imageOf(value: unknown): Image | null {
  const { type, media_type, data } = Object(value) as { [key: string]: unknown };
  const mediaType = imageTypes.find((known) => known === media_type);
  if (type !== "image" || mediaType === undefined || typeof data !== "string" || !isBase64(data)) return null;
  return { type, media_type: mediaType, data };
}

/** Of at least one byte, with its padding. */
function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function withinLimits(
  images: readonly Image[],
  { imagesMax, imageBytesMax }: OutputParts["limits"],
): readonly Image[] {
  let room = imageBytesMax;
  return images.slice(0, imagesMax).filter(({ data }) => {
    if (data.length > room) return false;
    room -= data.length;
    return true;
  });
}

/** What JSON keeps of it; null when that is no object, or too large. */
function recordOf(value: unknown, bytesMax: number): JsonObject | null {
  try {
    const json = JSON.stringify(value);
    if (json === undefined || utf8Length(json) > bytesMax) return null;
    const record: unknown = JSON.parse(json);
    return isJsonObject(record) && isDepthWithin(record, jsonDepthMax - recordDepth) ? record : null;
  } catch {
    // It refers to itself, or its getters throw.
    return null;
  }
}

/** How deep a record lies in its log entry. */
const recordDepth = 2;
