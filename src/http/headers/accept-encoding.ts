/** The content codings that something is kept in; the better one first. */
export type ContentCoding = 'br' | 'gzip'

const supportedCodings: readonly ContentCoding[] = ['br', 'gzip']
const member = /^\s*([!#$%&'*+.^`|~\w-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i

/**
 * The coding that a client prefers (RFC 9110 §12.5.3), the better one among equals. Undefined where
 * it wants none of them, or none at all rather: then what is sent is not coded.
 */
export function preferredCoding(header: string | undefined): ContentCoding | undefined {
  if (header === undefined || header.length > 1_000) return undefined
  const weights = new Map<string, number>()
  for (const part of header.split(',')) {
    const [, name = '', weight = '1'] = member.exec(part) ?? []
    if (name !== '') weights.set(name.toLowerCase(), Number(weight))
  }
  const weightOf = (coding: ContentCoding) => weights.get(coding) ?? weights.get('*') ?? 0
  const best = supportedCodings.reduce((one, other) =>
    weightOf(other) > weightOf(one) ? other : one,
  )
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}
