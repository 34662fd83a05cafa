/** Tables of bad input that is seen before anything is done: each row is a test, on a machine of its own. */
import { join } from "node:path";
import { test } from "node:test";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { assertFails, type Failing, plant } from "./machine.ts";

/** The model of a scenario that is there. */
export const scripted = ["-m", "scripted/s.yaml"];
export const scenario = "steps:\n  - text: Done.\n";

export type Case = Omit<Failing, "says"> & {
  readonly name: string;
  readonly says: string | RegExp | ((home: TempHome) => string);
  readonly prepare?: (home: TempHome) => void;
};

export function cases(list: readonly Case[]): void {
  for (const { name, prepare, says, ...failing } of list) {
    test(name, async () => {
      using home = tempHome();
      plant(join(home.workspace, "s.yaml"), scenario);
      prepare?.(home);
      await assertFails(home, { ...failing, says: typeof says === "function" ? says(home) : says });
    });
  }
}
