/** Prompts of commands: what /init and /review send as the user's input. The user reads them like any other. */

export const initPrompt = `Write an AGENTS.md for this repository: what an agent that has never seen it must know to work in it well.

Look before you write: the layout, the manifests and build files, the scripts and CI configuration, the tests, and any README, CONTRIBUTING or notes for agents that there are.

It says, briefly and only as far as it is true here:
- what the project is, in two sentences, and where its parts are;
- the commands to build, to check, to run all tests and to run one test; try those that are cheap and harmless, and say which you did not try;
- the conventions that the code follows and that nobody could guess from one file: style, naming, errors, how tests are written;
- what is easily done wrong here, and what must not be touched.

Leave out what every project has, what the code says by itself, and advice that would fit any repository. Keep it under 100 lines. If there is an AGENTS.md already, improve it, keep what is right in it, and tell me what you changed and why.`;

/** @param what as the user names it; null: the changes that are not committed, or the last commits. */
export function reviewPrompt(what: string | null): string {
  const subject =
    what === null
      ? "the changes in this repository that are not committed; if there are none, those of this branch against the branch it comes from, else the last commit. Say which of these it was"
      : what;
  return `Review ${subject}.

Read the changes and as much of the code around them as you need to judge them; change no file. Look for what would hurt: wrong results, lost data, races, missing error handling, security holes, broken callers, tests that are missing or cannot fail. Then for what will hurt later: needless complexity, duplication, names that mislead, documents that are no longer true.

Check each finding before you report it, by reading the code that it depends on, or by running a test where that is cheap. Give the findings with the gravest first, each with file and line, what goes wrong and in which case, and what to do about it. Say which you are not sure of. If there is nothing grave, say so in one sentence, and do not fill the report with matters of taste.`;
}
