import type { DescribedOperation } from '../described-operation.ts'
import { type Violation, violation } from '../expectation/expectation.ts'
import type { SentRequest, ServiceClient } from '../service-client.ts'

const probedMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * A method that is not documented for a path is refused with 405 and an `Allow` of exactly those
 * that are (RFC 9110 §15.5.6).
 */
export async function undocumentedMethods(
  path: string,
  target: string,
  operations: readonly DescribedOperation[],
  service: ServiceClient,
): Promise<readonly { readonly violation: Violation; readonly request: SentRequest }[]> {
  const documented = new Set(operations.filter((one) => one.path === path).map((one) => one.method))
  const allowed = new Set([...documented, 'OPTIONS', ...(documented.has('GET') ? ['HEAD'] : [])])
  const found: { violation: Violation; request: SentRequest }[] = []
  for (const method of probedMethods.filter((one) => !documented.has(one))) {
    const request = { method, requestTarget: target, headers: {} }
    const answer = await service.send(request).catch((error: Error) => error)
    if (answer instanceof Error) {
      found.push({
        request,
        violation: violation('no-answer', `There was no answer: ${answer.message}`),
      })
      continue
    }
    const { status, headers } = answer
    const allow = new Set((headers.allow ?? '').split(',').map((one) => one.trim()))
    if (status !== 405)
      found.push({
        request,
        violation: violation(
          'method-not-refused',
          `${method} is not documented for ${path}, and answered with ${status}, not 405.`,
        ),
      })
    else if (!sameSet(allow, allowed))
      found.push({
        request,
        violation: violation(
          'allow-differs',
          `'Allow: ${headers.allow}' differs from what ${path} documents: ${[...allowed].join(', ')}.`,
        ),
      })
  }
  return found
}

function sameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each))
}
