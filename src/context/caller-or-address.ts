import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import type { ApiRequest } from '../http/api-request.ts'
import { canonicalJson } from '../text/canonical-json.ts'

interface Sender {
  readonly caller: unknown
  readonly request: Pick<ApiRequest, 'address'>
}

/**
 * The caller, by its id where it has one, because other claims differ from token to token. An
 * anonymous one is known by its address alone.
 */
export function callerOrAddress({ caller, request: { address } }: Sender): string {
  return caller === undefined ? clientAtAddress(address) : `caller:${callerKeyOf(caller)}`
}

/**
 * A client by its address. One of IPv6 counts as its network of 64 bits, because a client has all
 * addresses of it.
 */
export function clientAtAddress(address: string | undefined): string {
  return `address:${address === undefined ? 'unknown' : networkOf(address)}`
}

/** The id of a caller as text without U+0000, which databases refuse; null if it has none. */
export function callerIdOf(caller: unknown): string | null {
  const id = idOf(caller)
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint'
    ? String(id).replaceAll('\0', '\uFFFD')
    : null
}

/** Tells callers apart, wherever they are. */
export function callerKeyOf(caller: unknown): string {
  return caller === undefined
    ? 'anonymous'
    : hash('sha256', canonicalJson(idOf(caller) ?? caller), 'base64url')
}

function idOf(caller: unknown): unknown {
  return typeof caller === 'object' && caller !== null && 'id' in caller ? caller.id : undefined
}

function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  const groups = [...first, ...Array<string>(missing).fill('0'), ...last]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
