/** Addresses: which ones a web tool may connect to. An allow-list: what is not known to be a public host is refused. */
import ipaddr from "ipaddr.js";

/** Public by their range, and yet a service of the machine's own cloud. */
const cloudServices: ReadonlySet<string> = new Set(["168.63.129.16"]);
/** What IANA gives out for hosts. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/** True for a public address in any of its forms; false for what is private, special, translated to something private, or no address. */
export function isPublicAddress(address: string): boolean {
  const family = addressFamily(address);
  if (family === 0) return false;
  // One spelling: the library takes `::1.2.3.4` for a mapped address, which it is not.
  const spelled = family === 4 ? address : URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  if (spelled === undefined) return false;
  // A mapped IPv4 address is the IPv4 address.
  const parsed = ipaddr.process(spelled);
  if (parsed.range() !== "unicast") return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.match(globalUnicast);
  return !cloudServices.has(parsed.toString());
}

/** 4 or 6 for an address as URLs and resolvers write it; 0 for a name. */
export function addressFamily(host: string): 0 | 4 | 6 {
  if (ipaddr.IPv4.isValidFourPartDecimal(host)) return 4;
  return ipaddr.IPv6.isValid(host) ? 6 : 0;
}
