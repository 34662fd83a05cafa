/** Names as text that takes one line and can be typed: what is plain as it is, anything else as the shell writes it. */
import { isUtf8 } from "node:buffer";

/** @param bytes one character a byte. */
export function showName(bytes: string): string {
  const raw = Buffer.from(bytes, "latin1");
  if (isUtf8(raw)) {
    const text = raw.toString("utf8");
    if (!/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return text;
  }
  const written = [...bytes].map((byte) => {
    const code = byte.charCodeAt(0);
    if (byte === "'" || byte === "\\") return `\\${byte}`;
    return code < 0x20 || code > 0x7e ? `\\x${code.toString(16).padStart(2, "0")}` : byte;
  });
  return `$'${written.join("")}'`;
}
