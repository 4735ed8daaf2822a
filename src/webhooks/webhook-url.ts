import { urlFault } from './send-webhook.ts'

const host = String.raw`(?:[\w.-]+|\[[\dA-Fa-f:.]+\])(?::\d{1,5})?`
const character = String.raw`(?:[\w.~!$&'()*+,;=:@/?-]|%[\dA-Fa-f]{2})`
const afterScheme = String.raw`:\/\/${host}(?:[/?]${character}*)?(?:#${character}*)?$`

/**
 * What a schema can say of the URL of a webhook: a URI without a user (RFC 3986). Which hosts are
 * allowed stays unsaid: clients would learn names of an inner network.
 */
export function urlPattern(allowedHosts: ReadonlySet<string>): RegExp {
  return new RegExp(`^https${allowedHosts.size > 0 ? '?' : ''}${afterScheme}`)
}

/** What is wrong with a URL that does not match {@link urlPattern}. */
export function urlWords(text: string, allowedHosts: ReadonlySet<string>): string {
  return (
    unsendableWords(text, allowedHosts) ??
    'must be a URI that begins with https:// in lower case, in ASCII: hosts in Punycode, other characters percent-encoded'
  )
}

/** Why nothing is sent to a URL; undefined if something is. */
export function unsendableWords(
  text: string,
  allowedHosts: ReadonlySet<string>,
): string | undefined {
  return URL.canParse(text) ? urlFault(new URL(text), allowedHosts) : 'must be a URL'
}
