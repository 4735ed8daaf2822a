import type { ResponseHeaders } from './response-headers.ts'

/**
 * The headers as an object. Web `Headers` are read: each name, and each line of `set-cookie`.
 * @throws TypeError for anything else, such as a text or a `Map`, whose entries would be no headers
 */
export function objectOfHeaders(headers: ResponseHeaders | Headers): ResponseHeaders {
  const given: unknown = headers
  if (typeof given === 'object' && given !== null) {
    if (!(Symbol.iterator in given)) return given as ResponseHeaders
    if (isWebHeaders(given)) {
      const cookies = given.getSetCookie()
      return {
        ...Object.fromEntries(given),
        ...(cookies.length > 0 && { 'set-cookie': cookies }),
      }
    }
  }
  throw new TypeError(
    `The headers of a response must be an object such as { 'content-type': 'text/plain' }, or Headers; got ${nameOf(given)}.`,
  )
}

/** Those of other implementations, too, which have a class of their own. */
function isWebHeaders(headers: object): headers is Headers {
  return 'getSetCookie' in headers && typeof headers.getSetCookie === 'function'
}

function nameOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return `a value of ${value.constructor?.name}`
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** @throws TypeError that names each header whose value is neither a text nor an array of texts */
export function checkHeaderTypes(headers: ResponseHeaders): void {
  let faults = ''
  for (const name in headers) {
    const value: unknown = headers[name]
    if (typeof value === 'string') continue
    if (Array.isArray(value) && value.every((line) => typeof line === 'string')) continue
    const shown = Array.isArray(value) ? JSON.stringify(value) : String(value)
    faults += ` The header '${name}' must be a string, or an array of strings; got ${shown}.`
  }
  if (faults !== '') throw new TypeError(faults.slice(1))
}
