/**
 * Headers of a response, by their names in lower case. What stands in several lines is an array:
 * `set-cookie`, whose values cannot be joined by commas (RFC 9110 §5.3).
 */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>

const token = /^[!#$%&'*+.^`|~\w-]+$/
const invalidValueCharacter = /[^\t\x20-\x7e\x80-\xff]/

/**
 * The name in lower case, where a header can be sent so.
 * @throws TypeError that names the header (RFC 9110 §5.1, §5.5)
 */
export function normalizeHeaderName(name: string, value: string): string {
  if (typeof name !== 'string' || !token.test(name))
    throw new TypeError(
      `A header cannot have the name ${JSON.stringify(name)}; expected is a name such as 'x-total'.`,
    )
  if (typeof value !== 'string')
    throw new TypeError(
      `The header '${name}' cannot have the value ${String(value)}; expected is text.`,
    )
  if (invalidValueCharacter.test(value))
    throw new TypeError(
      `The header '${name}' cannot have a value with line breaks, other control characters or characters beyond Latin-1: ${JSON.stringify(value)}.`,
    )
  return name.toLowerCase()
}

/**
 * With one more value of a header: a line of its own where it is a cookie, else behind a comma,
 * which means the same.
 */
export function appendHeader(
  headers: ResponseHeaders,
  name: string,
  value: string,
): ResponseHeaders {
  const before = Object.hasOwn(headers, name) ? headers[name] : undefined
  if (before === undefined) return { ...headers, [name]: value }
  return {
    ...headers,
    [name]:
      name === 'set-cookie' ? [before, value].flat() : `${joinHeaderValues(before)}, ${value}`,
  }
}

/**
 * Both; of a header that both have, what the later ones say. Cookies are kept of both, for each is
 * a line of its own.
 */
export function mergeHeaders(earlier: ResponseHeaders, later: ResponseHeaders): ResponseHeaders {
  const cookies = [earlier['set-cookie'] ?? [], later['set-cookie'] ?? []].flat()
  return { ...earlier, ...later, ...(cookies.length > 0 && { 'set-cookie': cookies }) }
}

/** The value of a header as one text. */
export function joinHeaderValues(value: string | readonly string[]): string
export function joinHeaderValues(value: string | readonly string[] | undefined): string | undefined
export function joinHeaderValues(
  value: string | readonly string[] | undefined,
): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ')
}
