/** Preloaded into a program (`NODE_OPTIONS=--import`): its stderr, a pipe, says that it is a terminal, so that progress is shown. */
Object.defineProperty(process.stderr, "isTTY", { value: true });
