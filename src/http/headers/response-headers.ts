/**
 * Headers of a response by lower-case name. `set-cookie` is an array, because its values cannot be
 * joined with commas (RFC 9110 §5.3).
 */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>

const token = /^[!#$%&'*+.^`|~\w-]+$/
const invalidValueCharacter = /[^\t\x20-\x7e\x80-\xff]/

/**
 * The name in lower case.
 * @throws TypeError if the name or the value is invalid (RFC 9110 §5.1, §5.5)
 */
export function normalizeHeaderName(name: string, value: string): string {
  if (typeof name !== 'string' || !token.test(name))
    throw new TypeError(
      `Invalid header name ${JSON.stringify(name)}; expected a name such as 'x-total'.`,
    )
  if (typeof value !== 'string')
    throw new TypeError(`The header '${name}' must be a string; got ${String(value)}.`)
  if (invalidValueCharacter.test(value))
    throw new TypeError(
      `The header '${name}' must not have control characters or characters beyond Latin-1; got ${JSON.stringify(value)}.`,
    )
  return name.toLowerCase()
}

/** Adds a value to a header: as a further line of `set-cookie`, else after a comma. */
export function appendHeader(
  headers: ResponseHeaders,
  name: string,
  value: string,
): ResponseHeaders {
  const existing = Object.hasOwn(headers, name) ? headers[name] : undefined
  if (existing === undefined) return { ...headers, [name]: value }
  return {
    ...headers,
    [name]:
      name === 'set-cookie' ? [existing, value].flat() : `${joinHeaderValues(existing)}, ${value}`,
  }
}

/** Merges headers; the later ones replace the earlier ones, except cookies, which are added. */
export function mergeHeaders(earlier: ResponseHeaders, later: ResponseHeaders): ResponseHeaders {
  const cookies = [earlier['set-cookie'] ?? [], later['set-cookie'] ?? []].flat()
  return { ...earlier, ...later, ...(cookies.length > 0 && { 'set-cookie': cookies }) }
}

/** The value of a header as one string. */
export function joinHeaderValues(value: string | readonly string[]): string
export function joinHeaderValues(value: string | readonly string[] | undefined): string | undefined
export function joinHeaderValues(
  value: string | readonly string[] | undefined,
): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ')
}
