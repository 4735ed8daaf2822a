import { truncate } from '../../error/truncate.ts'
import { formatNumber } from '../../text/message-text.ts'

interface NamedRequest {
  readonly method: string
  readonly requestTarget: string
}

/** Why there is no response to a request. The message names the request. */
export abstract class NoResponseError extends Error {
  abstract readonly kind: 'no-response' | 'too-slow' | 'response-too-large'
  /** Does the service respond at all? */
  readonly isAlive: boolean = true
}

/** The response had not arrived completely when its time was over. */
export class ResponseTimeoutError extends NoResponseError {
  readonly kind = 'too-slow'

  constructor(request: NamedRequest, timeoutMs: number) {
    super(`No complete response to ${nameOf(request)} within ${timeoutMs} ms.`)
  }
}

export class ResponseTooLargeError extends NoResponseError {
  readonly kind = 'response-too-large'

  constructor(request: NamedRequest, maxBytes: number) {
    super(`The response to ${nameOf(request)} has more than ${formatNumber(maxBytes)} bytes.`)
  }
}

/** The connection failed. */
export class ConnectionError extends NoResponseError {
  readonly kind = 'no-response'
  override readonly isAlive: boolean

  constructor(request: NamedRequest, cause: Error, isAlive: boolean) {
    const state = isAlive
      ? 'The service responds to other requests.'
      : 'The service responds to no other request either.'
    super(`No response to ${nameOf(request)}: ${reasonOf(cause)}. ${state}`, { cause })
    this.isAlive = isAlive
  }
}

function nameOf({ method, requestTarget }: NamedRequest): string {
  return `${method} ${truncate(requestTarget, 200)}`
}

/** The message of a network error; several addresses of a host name give a code only. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || (error as NodeJS.ErrnoException).code || error.name
}
