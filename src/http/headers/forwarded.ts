import { isIP } from 'node:net'
import { type ForwardedPair, pairBefore, skipSpaceBefore } from './forwarded-pair.ts'

/** The addresses of `X-Forwarded-For`, from the client to the last proxy; undefined for no IP. */
export function parseForwardedFor(value: string): readonly (string | undefined)[] {
  return value.split(',').map((node) => addressOf(node.trim()))
}

/**
 * The addresses of `Forwarded`, from the client to the last proxy (RFC 7239 §4). It is read from
 * the right, where the proxies append: what a client writes, such as an open quote, cannot change
 * how their elements are read. All that is left of a malformed element is one unknown address.
 */
export function parseForwarded(value: string): readonly (string | undefined)[] {
  const addresses: (string | undefined)[] = []
  for (let end = value.length; end >= 0; ) {
    const element = elementBefore(value, end)
    addresses.push(element?.address)
    // Further left is the comma before the element.
    end = element ? element.start - 1 : -1
  }
  return addresses.reverse()
}

/** One proxy's element of `Forwarded`, and where it starts. */
interface ForwardedElement {
  readonly address: string | undefined
  readonly start: number
}

/**
 * The element that ends there: pairs with semicolons between them, some of which may be empty.
 * Undefined if it is malformed, or names a parameter twice (RFC 7239 §4).
 */
function elementBefore(text: string, end: number): ForwardedElement | undefined {
  const names = new Set<string>()
  let address: string | undefined
  for (let at = skipSpaceBefore(text, end); ; at = skipSpaceBefore(text, at - 1)) {
    if (!isAfterSeparator(text, at)) {
      const pair: ForwardedPair | undefined = pairBefore(text, at)
      if (!pair || names.has(pair.name)) return undefined
      names.add(pair.name)
      if (pair.name === 'for') address = addressOf(pair.value)
      at = skipSpaceBefore(text, pair.start)
    }
    if (at === 0 || text[at - 1] === ',') return { address, start: at }
    if (text[at - 1] !== ';') return undefined
  }
}

function isAfterSeparator(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === ',' || text[at - 1] === ';'
}

/**
 * Without a port and brackets; undefined for `unknown` and names (RFC 7239 §6), and for bytes that
 * are no IP address.
 */
function addressOf(node: string): string | undefined {
  const bare = /^\[(.*)\](?::\d+)?$/.exec(node)?.[1] ?? /^([\d.]+):\d+$/.exec(node)?.[1] ?? node
  return isIP(bare) ? canonicalAddress(bare) : undefined
}

/** An IPv4 address that is mapped to IPv6 is an IPv4 address: sockets of both kinds write it so. */
export function canonicalAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.toLowerCase()
}
