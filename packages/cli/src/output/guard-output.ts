/** Everything that goes to stdout and stderr is looked through for credentials, whoever writes it. */

type Written = (error?: Error | null) => void;

/**
 * For the whole process, from here on. A write is looked through as one piece; bytes that are written as bytes (a bundle) are a file of the
 * user's, and stay as they are.
 */
export function guardOutput(redact: (text: string) => string): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array, then?: BufferEncoding | Written, written?: Written) => {
      const clean = typeof chunk === "string" ? redact(chunk) : chunk;
      return typeof then === "function" ? write(clean, then) : write(clean, then, written);
    };
  }
}
