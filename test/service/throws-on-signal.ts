/** Preloaded into a yoi that is to meet an error which nobody caught. */
process.on("SIGUSR2", () => {
  throw new Error("nobody caught this");
});
