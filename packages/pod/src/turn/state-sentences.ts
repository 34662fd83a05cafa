/** Why nothing begins in the state in which a Pod is: said the same by the Pod and by its server. */

export const alreadyRunning =
  "This Pod is running already: wait for the run to end, or stop it; a prompt can be queued for later.";
export const nothingToResume = "There is nothing to resume: the last run of this Pod ended.";
export const stoppedBefore = "It was stopped before it began: nothing was done.";
