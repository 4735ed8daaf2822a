import { BlockList, isIP } from 'node:net'
import type { RequestHeaders } from '../http/api-request.ts'
import { canonicalAddress, parseForwarded, parseForwardedFor } from '../http/headers/forwarded.ts'
import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'

/**
 * The proxies before the server: how many there are, or their addresses and networks (`10.0.0.0/8`,
 * `loopback`).
 */
export type TrustedProxies = number | readonly string[]

/** Proxies, and the header in which they name their clients. */
export interface TrustProxyOptions {
  /** How many there are, or their addresses and networks. */
  readonly proxies: TrustedProxies
  /**
   * The header that every trusted proxy writes. A proxy passes on the other one as the client sent
   * it. Default: `x-forwarded-for`.
   */
  readonly header?: 'x-forwarded-for' | 'forwarded'
}

/** Which proxies are trusted to name the client. */
export type TrustProxy = TrustedProxies | TrustProxyOptions

/** The address of a client, from that of the socket and the headers. */
export type ClientAddress = (
  socketAddress: string | undefined,
  headers: RequestHeaders,
) => string | undefined

/**
 * @param owner the function with the option, with parentheses: `serve()`
 * @throws RegistrationError
 */
export function clientAddress(trustProxy: TrustProxy | undefined, owner: string): ClientAddress {
  if (trustProxy === undefined)
    return (socketAddress) => socketAddress && canonicalAddress(socketAddress)
  const options: TrustProxyOptions = isShort(trustProxy) ? { proxies: trustProxy } : trustProxy
  checkOptions(`the option 'trustProxy' of ${owner}`, options, trustProxyOptions)
  const { proxies, header = 'x-forwarded-for' } = options
  const isTrusted = trust(proxies, owner)
  const parse = header === 'forwarded' ? parseForwarded : parseForwardedFor
  return (socketAddress, headers) => {
    const value = headers[header]
    const chain: readonly (string | undefined)[] = [
      ...(value === undefined ? [] : parse(value)),
      socketAddress && canonicalAddress(socketAddress),
    ]
    // From the server to the client: the first one that is no proxy of this service.
    let index = chain.length - 1
    for (let hop = 0; index > 0 && isTrusted(chain[index], hop); hop++) index--
    return chain[index]
  }
}

/** @returns is this address, so many hops before the server, one of the proxies? */
function trust(
  proxies: TrustedProxies,
  owner: string,
): (address: string | undefined, hop: number) => boolean {
  if (typeof proxies === 'number') {
    if (!Number.isSafeInteger(proxies) || proxies < 1) throw invalidProxies(proxies, owner)
    return (_, hop) => hop < proxies
  }
  if (!Array.isArray(proxies) || proxies.length === 0) throw invalidProxies(proxies, owner)
  const list = new BlockList()
  for (const proxy of proxies) addProxy(list, proxy, owner)
  return (address) =>
    address !== undefined && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function addProxy(list: BlockList, proxy: unknown, owner: string): void {
  if (proxy === 'loopback') {
    list.addSubnet('127.0.0.0', 8, 'ipv4')
    list.addAddress('::1', 'ipv6')
    return
  }
  const [address = '', prefix, ...rest] = typeof proxy === 'string' ? proxy.split('/') : []
  const family = isIP(address)
  const bits = Number(prefix ?? (family === 6 ? 128 : 32))
  const isValid = /^\d+$/.test(prefix ?? '0') && bits <= (family === 6 ? 128 : 32)
  if (family === 0 || rest.length > 0 || !isValid) throw invalidProxies(proxy, owner)
  list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4')
}

function isShort(trustProxy: TrustProxy): trustProxy is TrustedProxies {
  return typeof trustProxy === 'number' || Array.isArray(trustProxy)
}

function invalidProxies(value: unknown, owner: string): RegistrationError {
  return new RegistrationError(
    `The option 'trustProxy' of ${owner} must be the number of proxies, at least 1, or a list of their addresses, such as ['10.0.0.0/8', 'loopback']; got '${String(value)}'.`,
  )
}

const trustProxyOptions: OptionChecks<TrustProxyOptions> = {
  proxies: true,
  header: ['x-forwarded-for', 'forwarded'],
}
