/** The limits of a descriptor. Counts are of one feature. */

/** Characters of the whole, keys included; each value counts one more. */
export const descriptorCharsMax = 512 * 1024;
/** Levels of arrays and objects in the whole: an input schema begins at the third. */
export const descriptorDepthMax = 48;
/** Characters of what is for a person: a display name. */
export const displayNameCharsMax = 80;
/** Characters of a description or a reason for a person. */
export const descriptionCharsMax = 1024;
/** Characters of what the model is told of one tool, its schema apart. */
export const toolDescriptionCharsMax = 16 * 1024;
/** Characters of the name of a hook, background task, method, secret, state or state domain. */
export const nameCharsMax = 64;
/** Characters of a version or a range of versions. */
export const versionCharsMax = 64;
/** Characters of a path. */
export const pathCharsMax = 4096;
/** Characters of a host name, as DNS has it. */
export const hostCharsMax = 253;

export const toolsMax = 64;
export const hooksMax = 64;
export const backgroundTasksMax = 16;
/** Provided, and required. */
export const servicesMax = 32;
/** Of one service. */
export const methodsMax = 64;
export const authoritiesMax = 64;
/** Of one network authority. */
export const hostsMax = 64;
