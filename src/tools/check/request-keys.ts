import { hash, randomUUID } from 'node:crypto'
import type { DescribedOperation } from './described-operation.ts'
import type { SentRequest, ServiceClient } from './service-client.ts'

const keyHeader = 'idempotency-key'

/**
 * Sends a new `Idempotency-Key` with each write, if an operation requires one: no request of a
 * check repeats another. Uploads need the digest of their bytes with it.
 */
export function withRequestKeys(
  service: ServiceClient,
  operations: readonly DescribedOperation[],
): ServiceClient {
  const requiresKeys = operations.some(({ parameters }) =>
    parameters.some(({ name, isRequired }) => isRequired && name.toLowerCase() === keyHeader),
  )
  return requiresKeys ? { send: (request) => service.send(withKey(request)) } : service
}

function withKey(request: SentRequest): SentRequest {
  const { method, headers, body } = request
  if (method === 'GET' || method === 'HEAD' || keyHeader in headers) return request
  const digest = body !== undefined && {
    'content-digest': `sha-256=:${hash('sha256', body, 'base64')}:`,
  }
  return { ...request, headers: { [keyHeader]: randomUUID(), ...digest, ...headers } }
}
