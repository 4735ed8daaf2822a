import type { DescribedOperation } from '../described-operation.ts'
import { type Violation, violation } from '../expectation/expectation.ts'
import { NoResponseError } from '../response-errors.ts'
import type { SentRequest, ServiceClient } from '../service-client.ts'

const probedMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * An undocumented method must be 405 with the allowed ones in `Allow` (RFC 9110 §15.5.6). What
 * `x-resourcery-allow` names besides the operations may be refused in another way, and must not
 * change anything.
 */
export async function undocumentedMethods(
  path: string,
  target: string,
  operations: readonly DescribedOperation[],
  service: ServiceClient,
): Promise<readonly { readonly violation: Violation; readonly request: SentRequest }[]> {
  const ofPath = operations.filter((operation) => operation.path === path)
  const documented = new Set(ofPath.map(({ method }) => method))
  const allowed = new Set(ofPath.flatMap(({ allow }) => [...allow]))
  const findings: { violation: Violation; request: SentRequest }[] = []
  for (const method of probedMethods.filter((name) => !documented.has(name))) {
    const request = { method, requestTarget: target, headers: {} }
    const response = await service.send(request).catch((error: Error) => error)
    if ('status' in response && response.status === 429) continue
    const found =
      response instanceof Error
        ? violation(
            response instanceof NoResponseError ? response.kind : 'no-response',
            response.message,
          )
        : allowed.has(method)
          ? refusalViolation(method, path, response)
          : methodViolation(method, path, response, allowed)
    if (found) findings.push({ request, violation: found })
  }
  return findings
}

type Response = Awaited<ReturnType<ServiceClient['send']>>

function refusalViolation(
  method: string,
  path: string,
  { status }: Response,
): Violation | undefined {
  const isRefused = status >= 400 && status < 500 && status !== 405
  // Reading what the document leaves out changes nothing.
  if (isRefused || (method === 'GET' && status < 400)) return undefined
  return violation(
    'method-not-refused',
    `${method} is not documented for ${path}, but the status is ${status}; expected a refusal such as 403.`,
  )
}

function methodViolation(
  method: string,
  path: string,
  { status, headers }: Response,
  allowed: ReadonlySet<string>,
): Violation | undefined {
  if (status !== 405)
    return violation(
      'method-not-refused',
      `${method} is not documented for ${path}, but the status is ${status}; expected 405.`,
    )
  const allow = new Set((headers.allow ?? '').split(',').map((name) => name.trim()))
  if (sameSet(allow, allowed)) return undefined
  return violation(
    'allow-differs',
    `'Allow: ${headers.allow}' does not match the documented methods of ${path}: ${[...allowed].join(', ')}.`,
  )
}

function sameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((name) => other.has(name))
}
