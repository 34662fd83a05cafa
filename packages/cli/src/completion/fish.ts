/** Completion for fish, as a script: one line for each command and flag, under the condition that the command line stands there. */
import type { CommandShape, Flag, Values } from "./shape.ts";

export function fishScript(shapes: readonly CommandShape[]): string {
  const paths = shapes.filter(({ path }) => path !== "").map(({ path }) => quote(path));
  const takes = shapes.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) =>
      value === null || value.kind === "number" ? [] : names.map((name) => quote(`${path} ${name}`)),
    ),
  );
  const lines = shapes.flatMap(({ path, commands, flags, argument }) => {
    const here = `complete -c yoi -n ${quote(`__yoi_at ${quote(path)}`)}`;
    return [
      ...commands.map(({ name, description }) => `${here} -a ${quote(name)} -d ${quote(description)}`),
      ...flags.map((flag) => `${here} ${flagWords(flag)}`),
      ...(argument === null ? [] : [`${here} ${valueWords(argument)}`]),
    ];
  });
  return `# Completion of yoi for fish. Load it with: yoi completion fish | source
function __yoi_at
  set -l at
  set -l pending no
  for word in (commandline -opc)[2..]
    if string match -q -- '-*' $word
      set pending no
      contains -- (string trim -- "$at $word") ${takes.map((word) => word.replace(/^' /, "'")).join(" ")}; and set pending yes
    else if test $pending = yes
      set pending no
    else if contains -- (string trim -- "$at $word") ${paths.join(" ")}
      set at (string trim -- "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
complete -c yoi -f
${lines.join("\n")}
`;
}

function flagWords({ names, description, value }: Flag): string {
  const named = names.map((name) =>
    name.startsWith("--") ? `-l ${quote(name.slice(2))}` : `-s ${quote(name.slice(1))}`,
  );
  const taken = value === null || value.kind === "number" ? [] : ["-r", valueWords(value)];
  return [...named, ...taken, `-d ${quote(description)}`].filter((word) => word !== "").join(" ");
}

function valueWords(values: Values): string {
  switch (values.kind) {
    case "choices":
      return `-a ${quote(values.choices.join(" "))}`;
    case "pods":
    case "models":
    case "providers":
    case "secrets":
    case "grants":
    case "features":
    case "profiles":
    case "tickets":
      return `-a ${quote(`(yoi __complete ${values.kind} 2>/dev/null)`)}`;
    case "directory":
      return `-a ${quote("(__fish_complete_directories)")}`;
    case "file":
      return "-F";
    case "number":
    case "other":
      return "";
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
