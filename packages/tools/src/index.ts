/** Read, Write, Edit and Bash on a scoped file system. */
export {};
