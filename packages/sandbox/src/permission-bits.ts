/** What root may do in a sandbox: it has no capabilities there, so the permission bits hold for it as for anybody. */

export interface FileBits {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Whether a sandboxed process of this user has the permission, 4 to read and 1 to enter. Of any user but root the kernel is to be asked: true. */
export function isAllowedInSandbox({ mode, uid, gid }: FileBits, bit: 1 | 4): boolean {
  if (process.geteuid?.() !== 0) return true;
  const shift = uid === 0 ? 6 : (process.getgroups?.() ?? []).includes(gid) ? 3 : 0;
  return (mode & (bit << shift)) !== 0;
}
