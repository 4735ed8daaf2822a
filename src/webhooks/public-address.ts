import { BlockList, isIP } from 'node:net'

/** Blocks of IPv4 that lead to no public host (IANA special-purpose registry, RFC 6890). */
const innerBlocks4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Addresses of the link, of which 169.254.169.254 gives metadata of cloud machines.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/**
 * Of IPv6, what is inside of the public block 2000::/3 and leads to no public host, or to a host of
 * IPv4 (RFC 4380, 3056).
 */
const innerBlocks6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const inner = new BlockList()
for (const [network, prefix] of innerBlocks4) inner.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of innerBlocks6) inner.addSubnet(network, prefix, 'ipv6')

const publicBlock6 = new BlockList()
publicBlock6.addSubnet('2000::', 3, 'ipv6')

/**
 * Is it an address that anyone can reach? Not so are those of private networks, of the machine and
 * the link, IPv4 addresses in IPv6, multicast, and what is reserved.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !inner.check(address, 'ipv4')
    case 6:
      return (
        !address.includes('%') &&
        publicBlock6.check(address, 'ipv6') &&
        !inner.check(address, 'ipv6')
      )
    default:
      return false
  }
}
