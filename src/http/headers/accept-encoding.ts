export type ContentCoding = 'br' | 'gzip'

/** The better one first. */
const supportedCodings: readonly ContentCoding[] = ['br', 'gzip']
const member = /^\s*([!#$%&'*+.^`|~\w-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i

/**
 * The content coding that a client prefers (RFC 9110 §12.5.3), the better one if its weights are
 * equal. Undefined if the response must not be encoded.
 */
export function preferredCoding(header: string | undefined): ContentCoding | undefined {
  if (header === undefined || header.length > 1_000) return undefined
  const weights = new Map<string, number>()
  for (const text of header.split(',')) {
    const [, name = '', weight = '1'] = member.exec(text) ?? []
    if (name !== '') weights.set(name.toLowerCase(), Number(weight))
  }
  const weightOf = (coding: ContentCoding) => weights.get(coding) ?? weights.get('*') ?? 0
  const best = supportedCodings.reduce((first, second) =>
    weightOf(second) > weightOf(first) ? second : first,
  )
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}
