/** The profiles that ship with yoi, each as the TOML that a file of one's own would hold. */

export const builtInProfiles: Readonly<Record<string, string>> = {
  default: `description = "As your configuration has it, and nothing more"
`,
  reader: `description = "Reads and reports; writes no file and starts no Pods"

[[scope.deny]]
target = "/"
permission = "write"

[features]
pods = false

[worker]
instruction = """
You only read. Change no file: whoever asked you wants to know, and decides what is done about it. Answer with what you found, each
finding with its file and line, what you did not look at, and how sure you are."""
`,
  solo: `description = "Does one task by itself; has no tools for other Pods"

[features]
pods = false
`,
};
