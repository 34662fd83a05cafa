/** The most that one request may say it used. */

/** Tokens: far over any request. A larger number is a mistake of whoever reports it, and sums of such must stay exact whole numbers. */
export const usageTokensMax = 1_000_000_000;
