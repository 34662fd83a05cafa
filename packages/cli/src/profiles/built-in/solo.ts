/** The profile `solo`: one task, alone. */
export const soloProfile = `description = "Does one task by itself; has no tools for other Pods"

[features]
pods = false
`;
