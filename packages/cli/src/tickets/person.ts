/** Who a command acts for: a person. From inside a Pod's call nobody acts for one. */
import { userInfo } from "node:os";
import type { Actor } from "@yoi/tickets";
import type { Environment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { FailedAs } from "../failure.ts";

/** Set for every command that a Pod runs. */
const podVariables = ["YOI_CALL", "YOI_POD"] as const;

/**
 * For every verb that writes. Gates are a person's, so a command of a Pod is refused whatever it would do; a Pod has tools of its own for what it may.
 * The sandbox refuses it too, by what is mounted; this says why.
 */
export function refuseInPod({ variables }: Environment): void {
  const found = podVariables.find((name) => (variables[name] ?? "") !== "");
  if (found === undefined) return;
  throw new FailedAs({
    code: "ticket_refused",
    message: `\`yoi ticket\` writes for people, and this is a command of a Pod (${found} is set): a Pod uses its ticket tools, and what they refuse is done by a person in a shell of their own.`,
    exitCode: exitCode.permission,
  });
}

/** @param author as the command line names one; without it who the environment says the user is. */
export function personOf(author: string | undefined, { variables }: Environment): Actor {
  return { author: author ?? userName(variables), role: "user" };
}

function userName(variables: Environment["variables"]): string {
  for (const name of ["USER", "LOGNAME"]) {
    const value = variables[name]?.trim() ?? "";
    if (value !== "") return value;
  }
  return userInfo().username;
}
