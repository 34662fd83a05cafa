/** What a hostile client may cost. */

export const mebibyte = 1024 * 1024;
/** Of the hosting process's resident memory. */
export const memoryGrowthMax = 64 * mebibyte;
