import { isIP } from 'node:net'

/** The addresses of `X-Forwarded-For`, from the client to the last proxy; undefined for no IP. */
export function parseForwardedFor(value: string): readonly (string | undefined)[] {
  return value.split(',').map((node) => addressOf(node.trim()))
}

/** The addresses of `Forwarded`, from the client to the last proxy (RFC 7239 §4). */
export function parseForwarded(value: string): readonly (string | undefined)[] {
  return splitOutsideQuotes(value, ',').map((element) => {
    const pair = splitOutsideQuotes(element, ';').find((text) => /^\s*for\s*=/i.test(text))
    return pair && addressOf(unquote(pair.slice(pair.indexOf('=') + 1).trim()))
  })
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

function splitOutsideQuotes(text: string, separator: string): readonly string[] {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '\\' && isQuoted) index++
    else if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}

function unquote(value: string): string {
  return value.startsWith('"') && value.endsWith('"')
    ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1')
    : value
}
