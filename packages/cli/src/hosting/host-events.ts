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
      return `error: a run could not be put on record: ${messageOf(event.error)} When that lasts, \`yoi pod stop ${pod} && yoi pod restore ${pod}\` reads the log anew.`;
    default:
      return null;
  }
}
