/** The segment that a flag names. */
import { isUuidV7, type SegmentId, segmentId, YoiError } from "@yoi/base";

export function segmentNamed(text: string): SegmentId {
  if (isUuidV7(text)) return segmentId(text);
  throw new YoiError(
    "usage",
    `${JSON.stringify(text)} is no segment's id: \`yoi pod lineage NAME\` shows those of a Pod.`,
  );
}
