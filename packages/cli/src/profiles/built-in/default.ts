/** The profile `default`: what the configuration says, under a name. */
export const defaultProfile = `description = "As your configuration has it, and nothing more"
`;
