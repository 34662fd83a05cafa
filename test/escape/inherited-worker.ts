/** Inherits what its starter left open, runs a script in the sandbox or out of it, or by a plain spawn, and prints what it said. */
import { spawnSync } from "node:child_process";
import { harness } from "./harness.ts";

const [, , how = "on", script = ""] = process.argv;

if (how === "plain") {
  process.stdout.write(spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout);
} else {
  const { run, close } = await harness({ mode: how === "off" ? "off" : "on" });
  try {
    process.stdout.write((await run(script)).output);
  } finally {
    await close();
  }
}
