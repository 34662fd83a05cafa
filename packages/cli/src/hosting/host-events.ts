/** Which events of a hosted Pod its log tells, each as a sentence: alerts and how runs ended. The rest is in the Pod's own log. */
import { messageOf } from "@yoi/base";
import type { PodEvent } from "@yoi/pod";
import { alertText } from "../output/alert-text.ts";
import { explainOutcome } from "../output/result.ts";

/** Null: nothing to tell. */
export function hostLine(event: PodEvent, pod: string): string | null {
  switch (event.type) {
    case "alert":
      return `${event.alert.level}: ${alertText(event.alert)}`;
    case "run_ended": {
      const { run, report } = event;
      const explained = explainOutcome(report, pod);
      return `run${run === null ? "" : ` ${run}`} ${report.outcome.kind}${explained === null ? "" : `: ${explained}`}`;
    }
    case "run_failed":
      return `error: the log of ${pod} cannot be written, so nothing more is accepted: ${messageOf(event.error)} \`yoi pod restore ${pod}\` after the end of this process reads it anew.`;
    default:
      return null;
  }
}
