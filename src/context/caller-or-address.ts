import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import type { ApiRequest } from '../http/api-request.ts'
import { canonicalJson } from '../text/canonical-json.ts'

interface Sender {
  readonly caller: unknown
  readonly request: Pick<ApiRequest, 'address'>
}

/**
 * The caller; an anonymous one is known by its address alone. An address of IPv6 counts as its
 * network of 64 bits, because a client has all addresses of it.
 */
export function callerOrAddress({ caller, request: { address } }: Sender): string {
  if (caller !== undefined) return `caller:${hash('sha256', canonicalJson(caller), 'base64url')}`
  return `address:${address === undefined ? 'unknown' : networkOf(address)}`
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
