/** What reports, reviews and messages of the demo of tickets hold, by which the models know what each is about. */
export const about = {
  firstReport: "The price of a line is multiplied by its pieces",
  secondReport: "An order without lines costs nothing",
  changes: "An order without lines throws",
  approval: "Both points of the ticket hold",
  goOn: "Your process was killed",
} as const;

/** How an answer of the orchestrator begins: it waits for the coder, and it leaves the rest to a person. */
export const saidByLead = { coderWorks: "The coder works.", left: "Left for you:" } as const;
