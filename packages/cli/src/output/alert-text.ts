/** An alert as a sentence for a person: that of a feature says whose it is. */
import type { Alert } from "@yoi/pod";

export function alertText({ source, message }: Pick<Alert, "source" | "message">): string {
  return source === "host" || source === "worker" ? message : `${source}: ${message}`;
}
