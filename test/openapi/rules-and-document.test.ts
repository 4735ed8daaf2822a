import type { Router, Rule } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { type Described, operationsOf } from './documents.ts'
import { scenarios } from './scenarios/all.ts'

/** A rule, or the operation that the document makes of it. */
interface Route {
  readonly route: string
  /** Every possible status, in ascending order. */
  readonly statuses: readonly number[]
}

describe.each(scenarios)('The rules of $name and its document', ({ router }) => {
  // Older versions have no operation for QUERY.
  const document = router.toOpenApi({ version: '3.2.0' })

  const served = router.rules.filter(({ isAlwaysRefused }) => !isAlwaysRefused)

  it('correspond one to one, with the same statuses, but for rules that refuse every request', () => {
    expect(operationsOf(document).map(ofOperation).sort(byRoute)).toEqual(
      served.map(ofRule).sort(byRoute),
    )
  })

  // The store is empty, so a 404 proves nothing where an address names an item.
  it('have the same methods at each address, with HEAD for GET and OPTIONS for all, and no others', async () => {
    for (const [path, methods] of methodsByPath(router.rules)) {
      const allow = new Set([...methods, 'OPTIONS', ...(methods.includes('GET') ? ['HEAD'] : [])])
      for (const method of ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const response = await send(router, method, path)
        await response.arrayBuffer()
        if (!allow.has(method)) expect(response.status, `${method} ${path}`).toBe(405)
        else
          expect(
            path.includes('{') ? [405, 501] : [404, 405, 501],
            `${method} ${path}`,
          ).not.toContain(response.status)
        if (method === 'OPTIONS') {
          const allowed = response.headers.get('allow')
          expect(new Set(allowed?.split(', '))).toEqual(allow)
          const item = document.paths[path]
          if (item) expect(item['x-resourcery-allow']).toBe(allowed)
        }
      }
    }
  })
})

function ofRule(rule: Rule): Route {
  const { method, path, response, errorResponses, declarations } = rule
  const successes =
    rule.operation === 'Batch'
      ? [rule.response.emptyStatus]
      : 'otherResponses' in rule
        ? rule.otherResponses.map(statusOf)
        : []
  const notModified = ['GET', 'QUERY'].includes(method) && response.headers.etag ? [304] : []
  const declared = declarations.flatMap(({ responses = {} }) => Object.keys(responses).map(Number))
  const statuses = [
    response.status,
    ...successes,
    ...notModified,
    ...errorResponses.map(statusOf),
    ...declared,
  ]
  return { route: `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`, statuses: ascending(statuses) }
}

function ofOperation({ method, path, operation }: Described): Route {
  return {
    route: `${method} ${path}`,
    statuses: ascending(Object.keys(operation.responses).map(Number)),
  }
}

function statusOf({ status }: { readonly status: number }): number {
  return status
}

function ascending(statuses: readonly number[]): readonly number[] {
  return [...new Set(statuses)].sort((entry, other) => entry - other)
}

function byRoute(one: Route, other: Route): number {
  return one.route < other.route ? -1 : 1
}

function methodsByPath(rules: readonly Rule[]): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>()
  for (const { method, path } of rules) {
    const template = path.replaceAll(/:(\w+)/g, '{$1}')
    methods.set(template, [...(methods.get(template) ?? []), method])
  }
  return methods
}

function send(router: Router, method: string, path: string): Promise<Response> {
  const address = `http://localhost${router.basePath}${path.replaceAll(/\{\w+\}/g, '0')}`
  return router.handle(new Request(address, { method }))
}
