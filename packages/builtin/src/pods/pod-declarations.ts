/** What the model is told of the seven Pod tools. */
import type { JsonObject } from "@yoi/base";
import type { ToolDeclaration } from "@yoi/feature";
import {
  childSchema,
  listPodsSchema,
  peerSchema,
  restoreSchema,
  sendSchema,
  spawnSchema,
} from "./pod-arguments.ts";
import { profileLines, type SpawnProfile } from "./profile-lines.ts";

const podToolNames = [
  "SpawnPod",
  "SendToPod",
  "ReadPodOutput",
  "StopPod",
  "ListPods",
  "RestorePod",
  "SendToPeerPod",
] as const;
export type PodToolName = (typeof podToolNames)[number];

export interface PodToolDeclaration extends ToolDeclaration {
  readonly name: PodToolName;
}

/** In the order in which they are registered. */
export function podToolDeclarations(profiles: readonly SpawnProfile[]): readonly PodToolDeclaration[] {
  return podToolNames.map((name) => {
    const { description, schema, readOnly } = tools[name];
    return {
      name,
      description: name === "SpawnPod" ? description + profileLines(profiles) : description,
      input_schema: schema,
      read_only: readOnly,
      required: true,
    };
  });
}

const tools: Readonly<
  Record<
    PodToolName,
    {
      readonly description: string;
      readonly schema: JsonObject;
      /** No effect outside the process: a cursor is part of the session. */
      readonly readOnly: boolean;
    }
  >
> = {
  SpawnPod: {
    description:
      "Starts another Pod, an agent of its own in a process of its own, and gives it a task. Use it for work that can be done beside yours or by " +
      "itself: parts of a large change, a review, an investigation with much to read. It knows nothing of this conversation: say in the task all that " +
      "it needs to know, and what it is to report.\n\n" +
      "It works by itself. You are told when its turn ends, so do not wait for it and do not ask again and again: go on with other work, or end " +
      "your turn. You are told too when a call of it waits for the user, who alone can allow or deny it. ReadPodOutput shows what it said, SendToPod gives it more to do, StopPod ends it.\n\n" +
      "The scope is a loan: all that the new Pod may touch, and never more than you may do yourself at this moment. Where you lend write, you " +
      "can read but not write, with no tool and no command, until StopPod gives it back. So lend the narrowest directories that the task needs, " +
      "each to one Pod. Where you lend a single file for writing, your commands cannot write the directory that holds it. It works in your working directory and must be able to read that: put a read rule for it into the scope. What shells need of " +
      "the system and of toolchains is lent for reading by itself. It can read the repository and not commit: what git writes in .git stays yours, so " +
      "commit what it did yourself. A command of yours that still runs is waited for, 30 seconds at most.",
    schema: spawnSchema,
    readOnly: false,
  },
  SendToPod: {
    description:
      "Gives a Pod that you started its next input, and does not wait for what comes of it: you are told when its turn ends. A Pod that is still at " +
      "work is an error: nothing was sent then.",
    schema: sendSchema,
    readOnly: false,
  },
  ReadPodOutput: {
    description:
      "Shows what a Pod that you started said since you read it last, and whether it is at work, waits for the user, is idle, paused or stopped. " +
      "Use it when you are told that its turn has ended. When it says that more waits, call it again: a long answer goes on there.",
    schema: childSchema,
    readOnly: true,
  },
  StopPod: {
    description:
      "Ends a Pod that you started, with all Pods that it started, waits until they are gone, and gives you back what you lent it. One that does not end when it is asked is killed, and the result says so. What it said and did " +
      "stays, and RestorePod starts it again. Stop a Pod as soon as its work is done.",
    schema: childSchema,
    readOnly: false,
  },
  ListPods: {
    description:
      "Shows yourself, the Pods that you started, and your peers: what each does, what it holds on loan, and whether it can be started again. No other Pod " +
      "is shown. Use it after a SpawnPod, StopPod or RestorePod whose outcome is unknown, and not to wait for a Pod.",
    schema: listPodsSchema,
    readOnly: true,
  },
  RestorePod: {
    description:
      "Starts a Pod that you started before and that has stopped, with its history, and with what it held lent to it again. It begins nothing by itself: " +
      "SendToPod tells it what to do.",
    schema: restoreSchema,
    readOnly: false,
  },
  SendToPeerPod: {
    description:
      "Tells a peer something, in your name. A peer is a Pod that the user introduced to you: it does not work for you, and decides by itself what it " +
      "does about it. One that is not running is an error: it is not started.",
    schema: peerSchema,
    readOnly: false,
  },
};
