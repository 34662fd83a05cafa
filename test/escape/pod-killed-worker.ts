/** A Pod in the middle of a command, to be killed: `<on|off|bare|ends|soon> <script>`. `bare` starts the script with nothing that would end it; `soon` says so before it starts it; `ends` runs it
 * to its end and then has nothing more to do. */
import { spawn } from "node:child_process";
import { harness } from "./harness.ts";

const [mode = "", script = ""] = process.argv.slice(2);
if (mode === "bare") {
  spawn("bash", ["-c", script], { stdio: "ignore", detached: true });
  process.stdout.write("started\n");
  setInterval(() => {}, 1000);
} else if (mode === "soon") {
  const { run, place } = await harness({ mode: "on" });
  process.stdout.write(`place ${place.root}\n`);
  await run("true");
  process.stdout.write("now\n");
  void run(script, { timeoutMs: 600_000 });
} else if (mode === "ends") {
  const { run, place } = await harness({ mode: "off" });
  await run(script, { timeoutMs: 600_000 });
  place.remove();
  process.stdout.write("done\n");
} else {
  const { run, place } = await harness({ mode: mode === "on" ? "on" : "off" });
  process.stdout.write(`place ${place.root}\n`);
  // Answered between two turns of the event loop: whatever a turn began is done by then.
  process.on("SIGUSR2", () => process.stdout.write("beat\n"));
  await run("true");
  void run(`echo started; ${script}`, { timeoutMs: 600_000, onOutput: (text) => process.stdout.write(text) });
}
