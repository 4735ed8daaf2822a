import { isIP } from 'node:net'
import { createApiError } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import { RegistrationError } from '../model/registration-error.ts'

/**
 * The names a server is reached by: host names without ports, beside those of the machine itself;
 * `any` for all.
 */
export type Hosts = readonly string[] | 'any'

/** @throws ApiError `misdirected-request` */
export type HostGuard = (host: string | undefined) => void

/** So many spellings that were let through are remembered, so that each is looked at once. */
const maxRemembered = 100

/**
 * Keeps pages of other sites from a service that only this machine is to reach: a page can let the
 * name of its own host lead to a loopback address, and is then of the same origin (DNS rebinding).
 * What such a page cannot choose is the `Host`.
 *
 * @param address what is listened at
 * @param hosts undefined where none are given: on a loopback address only its own names are let
 * through, on others all
 */
export function hostGuard(address: string, hosts: Hosts | undefined): HostGuard {
  if (hosts === 'any' || (hosts === undefined && !isLoopback(address))) return () => {}
  const named = new Set(hosts)
  const known = new Set<string | undefined>()
  return (host) => {
    if (known.has(host)) return
    const name = hostName(host ?? '')
    // No browser sends none, or an empty one.
    if (name !== '' && !named.has(name) && !isLoopback(name)) throw misdirected(name)
    if (known.size < maxRemembered) known.add(host)
  }
}

/** @throws RegistrationError where one is no name of a host */
export function checkHosts(hosts: Hosts | undefined): void {
  if (hosts === undefined || hosts === 'any') return
  const wrong = Array.isArray(hosts)
    ? hosts.find((one) => typeof one !== 'string' || !/^(?:[a-z\d._-]+|\[[\da-f:.]+\])$/.test(one))
    : hosts
  if (wrong === undefined) return
  throw new RegistrationError(
    `The option 'hosts' of serve() is 'any' or a list of host names in lower case without ports, such as ['books.example']; got '${String(wrong)}'.`,
  )
}

/** Without the port, in lower case, and without the dot that ends a whole name. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

/** Names below `localhost` lead nowhere else (RFC 6761 §6.3). */
function isLoopback(name: string): boolean {
  const bare = name.replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) === 4) return bare.startsWith('127.')
  // An address of IPv4 within one of IPv6 is written in either way (RFC 4291 §2.2).
  if (isIP(bare) === 6)
    return /^(?:0*:)*0*1$/.test(bare) || /^(?:0*:)*ffff:(?:127\.|7f[\da-f]{2}:)/.test(bare)
  return bare === 'localhost' || bare.endsWith('.localhost')
}

function misdirected(name: string): Error {
  return createApiError(
    'misdirected-request',
    `The host '${truncate(name)}' is not served here; expected is a name of this machine, such as 'localhost', or one that serve({ hosts }) lists.`,
    { header: 'host' },
  )
}
