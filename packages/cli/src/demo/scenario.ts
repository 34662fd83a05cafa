/** The demo's scenario: what the scripted model says, step by step, in a scratch workspace. */
export interface DemoPlaces {
  readonly workspace: string;
  /** A folder that the Pod has no scope on. */
  readonly outside: string;
}

/** The line that the killed command writes before it waits: its one side effect. */
export const effectLine = "effect";

export function demoScenario({ workspace, outside }: DemoPlaces): string {
  const q = JSON.stringify;
  return `# Played by \`yoi demo\`. The step is chosen by what the request holds, so a restored Pod goes on where it was.
steps:
  - text: "I will look at the project, and try to leave a note outside of it."
    tool_calls:
      - name: Bash
        arguments: { command: "ls -1 && wc -l greeting.txt" }
      - name: Write
        arguments: { file_path: ${q(`${outside}/note.txt`)}, content: "outside" }
  - expect: { results: [{ name: Bash }, { name: Write, error: true }] }
    text: "The note was refused. Now a command that takes a while."
    tool_calls:
      - name: Bash
        arguments: { command: "echo ${effectLine} >> effects.log && sleep 60 && echo finished >> effects.log" }
  - text: "The runtime says that the outcome is unknown, so I look before I repeat anything."
    tool_calls:
      - name: Read
        arguments: { file_path: ${q(`${workspace}/effects.log`)} }
      - name: Read
        arguments: { file_path: ${q(`${workspace}/greeting.txt`)} }
  - text: "The effect is there, once. I go on with an edit."
    tool_calls:
      - name: Edit
        arguments: { file_path: ${q(`${workspace}/greeting.txt`)}, old_string: "Hello", new_string: "Hello again" }
  - text: "Done: the greeting is changed, and the command that was cut off was not run a second time."
`;
}
