/** What each picture shows, and how the terminal gets there. */
import type { ShownProgram } from "./shown-program.ts";
import * as project from "./project.ts";
import { type Stage, yoi } from "./stage.ts";

export interface Scene {
  /** Of its file. */
  readonly name: string;
  /** Pods and files; gives the arguments of `yoi`. */
  readonly prepare: (stage: Stage) => readonly string[];
  /** From the first frame on. */
  readonly play: (terminal: ShownProgram) => Promise<void>;
}

const question =
  "The total of a discounted basket is off by a fraction of a cent. Find out why, and mend it.";
const enter = "\r";
const escape = "\u001b";
const altP = "\u001bp";
const altT = "\u001bt";

export const scenes: readonly Scene[] = [
  {
    name: "conversation",
    prepare: (stage) => {
      stage.start("shop", project.mending(stage.project));
      return ["attach", "shop"];
    },
    play: async (terminal) => {
      await terminal.shows(/ready/);
      terminal.type(question + enter);
      await terminal.shows(/whole cents\.[\s\S]*ready/);
    },
  },
  {
    name: "working",
    prepare: (stage) => {
      stage.start("shop", project.checking);
      return ["attach", "shop"];
    },
    play: async (terminal) => {
      await terminal.shows(/ready/);
      terminal.type(`Run the tests, and say which of them are slow.${enter}`);
      await terminal.shows(/ok {2}checkout/);
      terminal.type(`Leave the catalogue as it is${enter}`);
      await terminal.shows(/with the next request/);
      terminal.type("Then look at @src/pr");
      await terminal.shows(/price\.ts/);
    },
  },
  {
    name: "approval",
    prepare: (stage) => {
      stage.config(project.rules);
      stage.start("shop", project.publishing);
      return ["attach", "shop"];
    },
    play: async (terminal) => {
      await terminal.shows(/ready/);
      terminal.type(`Publish the fix as 1.4.2.${enter}`);
      await terminal.shows(/once[\s\S]*session/);
    },
  },
  {
    name: "pods",
    prepare: (stage) => {
      stage.config(project.rules);
      stage.start("site", project.quiet);
      stage.yoi("pod", "send", "site", "--wait", "Look for dead links.");
      stage.stop("site");
      stage.start("release", project.publishing);
      stage.yoi("pod", "send", "release", "Publish the fix as 1.4.2.");
      stage.start("nightly", project.checking);
      stage.yoi("pod", "send", "nightly", "Run the tests, and say which of them are slow.");
      stage.start("shop", project.mending(stage.project));
      return ["attach", "shop"];
    },
    play: async (terminal) => {
      await terminal.shows(/ready/);
      terminal.type(question + enter);
      await terminal.shows(/whole cents\.[\s\S]*ready/);
      terminal.type(altP);
      await terminal.shows(/1 to answer[\s\S]*nightly[\s\S]*site/);
    },
  },
  {
    name: "tree",
    prepare: (stage) => {
      stage.profile("quiet", project.profile);
      stage.write("shop/child.yaml", project.checking);
      stage.start("shop", project.lending(stage.project));
      return ["attach", "shop"];
    },
    play: async (terminal) => {
      await terminal.shows(/ready/);
      terminal.type(`Make the slow tests faster, and go on with the prices.${enter}`);
      await terminal.shows(/It works on them[\s\S]*ready[\s\S]*1 working/);
      terminal.type(altT);
      await terminal.shows(/tests +running[\s\S]*from shop/);
    },
  },
  {
    name: "rewind",
    prepare: (stage) => {
      stage.start("shop", project.talking(stage.project));
      return ["attach", "shop"];
    },
    play: async (terminal) => {
      await terminal.shows(/ready/);
      terminal.type(`How are prices kept?${enter}`);
      await terminal.shows(/come in\.[\s\S]*ready/);
      terminal.type(`Write that down in notes.md.${enter}`);
      await terminal.shows(/are in notes\.md[\s\S]*ready/);
      terminal.type(`Should the notes be in English?${enter}`);
      await terminal.shows(/keep them in English[\s\S]*ready/);
      terminal.type(escape);
      await terminal.settles();
      terminal.type(escape);
      await terminal.shows(/Go back to/);
    },
  },
  {
    name: "keys",
    prepare: (stage) => {
      stage.start("shop", project.mending(stage.project));
      return ["attach", "shop"];
    },
    play: async (terminal) => {
      await terminal.shows(/ready/);
      terminal.type(question + enter);
      await terminal.shows(/whole cents\.[\s\S]*ready/);
      terminal.type("?");
      await terminal.shows(/search the history/);
    },
  },
  {
    name: "first-run",
    prepare: () => [],
    play: (terminal) => terminal.shows(/Who has the model/),
  },
];

/** For a POSIX shell. */
export function commandOf(args: readonly string[]): string {
  return [yoi, ...args].map((word) => `'${word}'`).join(" ");
}
