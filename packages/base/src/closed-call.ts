/** Closed calls: what the result of a call says that has none of its own. */

/** Of a call that never began. */
export const notExecuted = "not executed";
/** Of a call that was started and whose end nobody saw. */
export const outcomeUnknown = "outcome unknown, check before repeating";
