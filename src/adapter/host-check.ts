import { isIP } from 'node:net'
import { createApiError } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import { RegistrationError } from '../model/registration-error.ts'

/** Host names of a server without ports, in addition to loopback names; `any` allows all. */
export type Hosts = readonly string[] | 'any'

/** @throws ApiError `misdirected-request` */
export type HostCheck = (host: string | undefined) => void

/** The size of the cache of allowed `Host` values. */
const maxCachedHosts = 100

/**
 * Protects services on a loopback address from DNS rebinding: a page can make the name of its own
 * host resolve to a loopback address, and then has the same origin. Such a page cannot choose the
 * `Host` header, so it is checked.
 *
 * @param address the address that the server listens on
 * @param hosts if undefined, a loopback address allows loopback names only, others allow all
 */
export function hostCheck(address: string, hosts: Hosts | undefined): HostCheck {
  if (hosts === 'any' || (hosts === undefined && !isLoopback(address))) return () => {}
  const allowedNames = new Set(hosts)
  const cache = new Set<string | undefined>()
  return (host) => {
    if (cache.has(host)) return
    const name = hostName(host ?? '')
    // Browsers always send a host.
    if (name !== '' && !allowedNames.has(name) && !isLoopback(name)) throw misdirected(name)
    if (cache.size < maxCachedHosts) cache.add(host)
  }
}

/**
 * @param owner the function with the option, with parentheses: `serve()`
 * @throws RegistrationError if an entry is not a host name
 */
export function checkHosts(hosts: Hosts | undefined, owner: string): void {
  if (hosts === undefined || hosts === 'any') return
  const invalid = Array.isArray(hosts)
    ? hosts.find(
        (name) => typeof name !== 'string' || !/^(?:[a-z\d._-]+|\[[\da-f:.]+\])$/.test(name),
      )
    : hosts
  if (invalid === undefined) return
  throw new RegistrationError(
    `The option 'hosts' of ${owner} must be 'any' or a list of host names in lower case without ports, such as ['books.example']; got '${String(invalid)}'.`,
  )
}

/** Without the port, in lower case, and without a trailing dot. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

/** Subdomains of `localhost` are loopback names too (RFC 6761 §6.3). */
function isLoopback(name: string): boolean {
  const bare = name.replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) === 4) return bare.startsWith('127.')
  // IPv4-mapped IPv6 addresses have two notations (RFC 4291 §2.2).
  if (isIP(bare) === 6)
    return /^(?:0*:)*0*1$/.test(bare) || /^(?:0*:)*ffff:(?:127\.|7f[\da-f]{2}:)/.test(bare)
  return bare === 'localhost' || bare.endsWith('.localhost')
}

function misdirected(name: string): Error {
  return createApiError(
    'misdirected-request',
    `Unknown host '${truncate(name)}'; expected a loopback name such as 'localhost', or a name in the option 'hosts'.`,
    { header: 'host' },
  )
}
