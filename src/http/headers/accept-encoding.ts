export type ContentCoding = 'br' | 'gzip'

/** The better one first. */
const supportedCodings: readonly ContentCoding[] = ['br', 'gzip']
const member = /^\s*([!#$%&'*+.^`|~\w-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i

/**
 * The content coding that a client prefers (RFC 9110 §12.5.3), the better one if its weights are
 * equal. Undefined if the response must not be encoded.
 * @param codings those to choose from, the better one first
 */
export function preferredCoding(
  header: string | undefined,
  codings: readonly ContentCoding[] = supportedCodings,
): ContentCoding | undefined {
  const weights = codingWeights(header)
  if (!weights) return undefined
  const weightOf = (coding: ContentCoding) => weights.get(coding) ?? weights.get('*') ?? 0
  const best = codings.reduce((first, second) =>
    weightOf(second) > weightOf(first) ? second : first,
  )
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}

/** Does the client refuse a response without a coding: `identity;q=0`, or `*;q=0`? */
export function isIdentityRefused(header: string | undefined): boolean {
  const weights = codingWeights(header)
  return (weights?.get('identity') ?? weights?.get('*')) === 0
}

/** Undefined without a header, or for one that is too long to be read. */
function codingWeights(header: string | undefined): ReadonlyMap<string, number> | undefined {
  if (header === undefined || header.length > 1_000) return undefined
  const weights = new Map<string, number>()
  for (const text of header.split(',')) {
    const [, name = '', weight = '1'] = member.exec(text) ?? []
    if (name !== '') weights.set(name.toLowerCase(), Number(weight))
  }
  return weights
}
