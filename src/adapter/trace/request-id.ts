import { randomUUID } from 'node:crypto'

/** Of characters that need no escapes in logs and addresses, or in Base64. */
const pattern = /^[\w.:+/=-]{1,128}$/

/** The `X-Request-Id` of a request if logs can take it as it is, or else a new one. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && pattern.test(header) ? header : randomUUID()
}
