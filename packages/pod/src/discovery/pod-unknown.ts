/** The sentence for a name that no Pod has. */
import { YoiError } from "@yoi/base";

export function podUnknown(name: string): YoiError {
  return new YoiError(
    "pod_unknown",
    `There is no Pod named ${name}: \`yoi pod list\` shows the ones there are.`,
  );
}
