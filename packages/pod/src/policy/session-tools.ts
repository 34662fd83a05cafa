/** The tools that show a Pod its own log. What they show was this model's before, so no permission mode refuses them; rules of the user count all the same. */
export const sessionSearchName = "SessionSearch";
export const sessionReadName = "SessionRead";

export function isSessionTool(name: string): boolean {
  return name === sessionSearchName || name === sessionReadName;
}
