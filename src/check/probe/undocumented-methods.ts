import type { DescribedOperation } from '../described-operation.ts'
import { type Violation, violation } from '../expectation/expectation.ts'
import type { SentRequest, ServiceClient } from '../service-client.ts'

const probedMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** An undocumented method must be 405 with the documented ones in `Allow` (RFC 9110 §15.5.6). */
export async function undocumentedMethods(
  path: string,
  target: string,
  operations: readonly DescribedOperation[],
  service: ServiceClient,
): Promise<readonly { readonly violation: Violation; readonly request: SentRequest }[]> {
  const documented = new Set(
    operations.filter((operation) => operation.path === path).map(({ method }) => method),
  )
  const allowed = new Set([...documented, 'OPTIONS', ...(documented.has('GET') ? ['HEAD'] : [])])
  const findings: { violation: Violation; request: SentRequest }[] = []
  for (const method of probedMethods.filter((name) => !documented.has(name))) {
    const request = { method, requestTarget: target, headers: {} }
    const response = await service.send(request).catch((error: Error) => error)
    if (response instanceof Error) {
      findings.push({
        request,
        violation: violation('no-response', `No response: ${response.message}`),
      })
      continue
    }
    const { status, headers } = response
    const allow = new Set((headers.allow ?? '').split(',').map((name) => name.trim()))
    if (status !== 405)
      findings.push({
        request,
        violation: violation(
          'method-not-refused',
          `${method} is not documented for ${path}, but the status is ${status}; expected 405.`,
        ),
      })
    else if (!sameSet(allow, allowed))
      findings.push({
        request,
        violation: violation(
          'allow-differs',
          `'Allow: ${headers.allow}' does not match the documented methods of ${path}: ${[...allowed].join(', ')}.`,
        ),
      })
  }
  return findings
}

function sameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((name) => other.has(name))
}
