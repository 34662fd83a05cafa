/** The version of yoi, as `--version` prints it and `opened` entries record it. */
export const version = "0.1.0";
