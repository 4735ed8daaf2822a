import type { IncomingMessage } from 'node:http'
import type { RequestBody } from '../http/api-request.ts'
import { wholeBody } from './whole-body.ts'

/**
 * The body of a request without a connection, which a test injects, such as `inject` of Fastify.
 * Undefined for a request of a server, and without a body.
 */
export function injectedBody(req: IncomingMessage): RequestBody | undefined {
  if (Object.hasOwn(req, 'complete')) return undefined
  // There is no connection whose bytes could be left over.
  Object.defineProperty(req, 'complete', { value: true })
  if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined)
    return undefined
  return { bytes: (limit) => wholeBody(() => req, limit), stream: () => req }
}
