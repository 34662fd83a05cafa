/** The only writer of what belongs to the user. */
export {};
