/** Preloaded into a program (`NODE_OPTIONS=--import`): when the file that YOI_TEST_THROW names is there, throws its text where nobody catches it. */
import { existsSync, readFileSync } from "node:fs";

const path = process.env["YOI_TEST_THROW"] ?? "";
const timer = setInterval(() => {
  if (!existsSync(path)) return;
  clearInterval(timer);
  throw new Error(readFileSync(path, "utf8"));
}, 20);
timer.unref();
