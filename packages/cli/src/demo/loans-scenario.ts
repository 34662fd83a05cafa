/** The scenarios of `yoi demo loans`: what the models of a parent and of its two children say, and the profiles that give each child its own. */
export interface LoansPlaces {
  readonly workspace: string;
  /** Folder of the scenario files. */
  readonly root: string;
  /** Commands run in a sandbox; false: file tools show what they can. */
  readonly shells: boolean;
}

export const loansPods = { parent: "lead", killed: "alpha", kept: "beta" } as const;
/** Lines that a child's work writes. */
export const workFile = "work.log";
export const begunLine = "begun";
export const finishedLine = "finished";
/** Written in what is lent, by the lender: while it is lent, while one loan is open still, and when each is back. */
export const lenderFiles = { lent: "lent.txt", kept: "kept.txt", back: "back.txt" } as const;
/** Tells the child that is not killed to finish. */
export const goFile = "go";

const q = JSON.stringify;
/** For a shell. */
const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const { parent, killed, kept } = loansPods;

/** By file name, all in `root`. */
export function loansFiles({ workspace, root, shells }: LoansPlaces): Readonly<Record<string, string>> {
  const a = `${workspace}/src/a`;
  const b = `${workspace}/src/b`;
  return {
    [`${parent}.yaml`]: lead(workspace, a, b, shells),
    [`${killed}.yaml`]: shells
      ? worker(
          bash(
            `echo ${begunLine} >> ${word(`${a}/${workFile}`)}; sleep 60; echo ${finishedLine} >> ${word(`${a}/${workFile}`)}`,
          ),
        )
      : worker(write(`${a}/${workFile}`, `${begunLine}\n`), 60_000),
    [`${kept}.yaml`]: shells
      ? worker(
          bash(
            `echo ${begunLine} >> ${word(`${b}/${workFile}`)}; for i in $(seq 600); do [ -e ${word(`${b}/${goFile}`)} ] && break; sleep 0.1; done; echo ${finishedLine} >> ${word(`${b}/${workFile}`)}`,
          ),
        )
      : worker(
          write(`${b}/${workFile}`, `${begunLine}\n`),
          3_000,
          write(`${b}/${workFile}`, `${begunLine}\n${finishedLine}\n`),
        ),
    [`home/config/profiles/${killed}.toml`]: profile(root, killed),
    [`home/config/profiles/${kept}.toml`]: profile(root, kept),
  };
}

function profile(root: string, name: string): string {
  return `description = "Works in one part"\n\n[model]\nref = ${q(`scripted/${root}/${name}.yaml`)}\n\n[features]\npods = false\n`;
}

function lead(workspace: string, a: string, b: string, shells: boolean): string {
  const tried = [a, b].map((part) =>
    shells
      ? bash(`echo lead > ${word(`${part}/${lenderFiles.lent}-by-shell`)}`)
      : write(`${part}/${lenderFiles.lent}2`, "lead"),
  );
  return `# Played by \`yoi demo loans\`. The step is chosen by what the request holds, so a restored Pod goes on where it was.
steps:
  - text: "Two parts, two Pods."
    tool_calls:
${spawn(killed, a, workspace)}
${spawn(kept, b, workspace)}
  - text: "While they are lent, I try to write there myself."
    tool_calls:
${[write(`${a}/${lenderFiles.lent}`, "lead"), write(`${b}/${lenderFiles.lent}`, "lead"), ...tried].join("\n")}
  - text: "Both work, and what is lent is theirs."
  - text: "I was away. One of them is gone, the other one still has its part."
    tool_calls:
${[write(`${a}/${lenderFiles.back}`, "lead"), write(`${b}/${lenderFiles.kept}`, "lead")].join("\n")}
  - text: "The other one is done."
    tool_calls:
${call("StopPod", { name: kept })}
  - text: "Now all of it is mine again."
    tool_calls:
${write(`${b}/${lenderFiles.back}`, "lead")}
${'  - text: "Noted."\n'.repeat(6)}`;
}

function worker(first: string, delayMs = 0, second: string | null = null): string {
  return `steps:
  - text: "I begin."
    tool_calls:
${first}
  - text: "That is done."
    delay_ms: ${delayMs}
${second === null ? "" : `    tool_calls:\n${second}\n  - text: "All of it."\n`}`;
}

const call = (name: string, given: object): string =>
  `      - name: ${name}\n        arguments: ${JSON.stringify(given)}`;
const write = (path: string, content: string): string => call("Write", { file_path: path, content });
const bash = (command: string): string => call("Bash", { command });

function spawn(name: string, part: string, workspace: string): string {
  return call("SpawnPod", {
    name,
    profile: `user:${name}`,
    task: `Work in ${part}.`,
    scope: [
      { target: part, permission: "write" },
      { target: workspace, permission: "read" },
    ],
  });
}
