/** The profile `reader`: looks and reports. */
export const readerProfile = `description = "Reads and reports; writes no file and starts no Pods"

[[scope.deny]]
target = "/"
permission = "write"

[features]
pods = false

[worker]
instruction = """
You only read. Change no file: whoever asked you wants to know, and decides what is done about it. Answer with what you found, each
finding with its file and line, what you did not look at, and how sure you are."""
`;
