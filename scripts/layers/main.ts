/** `npm run layers`: prints every fault and fails when there is one, or when there was nothing to check. */
import { fileURLToPath } from "node:url";
import { checkLayers } from "./check.ts";
import { printed } from "./fault.ts";

const report = checkLayers(fileURLToPath(new URL("../../", import.meta.url)));
for (const fault of report.faults) console.error(printed(fault));
console.log(
  `layers: ${report.packages} packages, ${report.files} files, ${report.imports} imports, ${report.faults.length} faults`,
);
if (report.faults.length > 0 || report.files === 0 || report.imports === 0) process.exitCode = 1;
