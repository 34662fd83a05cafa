/** The program's entry: reads the command line and runs one command. */
export async function main(argv: readonly string[]): Promise<void> {
  process.stdout.write(`yoi ${argv.join(" ")}\n`);
}
