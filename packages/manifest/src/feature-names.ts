/** The features that a profile or a config file can switch on and off, by the names they have there. */

export const featureNames = ["task", "pods", "tickets"] as const;
export type FeatureName = (typeof featureNames)[number];
