/** Who may touch which path: the rule algebra, as pure functions. */
export {};
