/** Preloaded into a program (`NODE_OPTIONS=--import`): its stdin and stderr, pipes, say that they are a terminal, so that it asks. */
for (const stream of [process.stdin, process.stderr]) Object.defineProperty(stream, "isTTY", { value: true });
