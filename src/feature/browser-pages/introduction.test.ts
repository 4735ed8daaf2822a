import { type AnyModel, createRouter, model, type Policy, type RouterOptions } from 'resourcery'
import { basic } from 'resourcery/auth'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import type { OpenApiVersion } from 'resourcery/openapi'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { introductionOf } from './introduction.ts'

const Zebra = model('zebra', { name: z.string() })
const CatalogImport = model('catalogImport', { name: z.string() })
const ApiKey = model('apiKey', { name: z.string() })

function routerOf(policy: Policy, options: Partial<RouterOptions> = {}) {
  const router = createRouter({ policy, store: memory(), basePath: '/api', ...options })
  for (const prepared of [Zebra, CatalogImport, ApiKey] as readonly AnyModel[])
    router.prepare(prepared)
  return router
}

describe.each([
  ['plain REST', rest()],
  ['JSON:API', jsonApi()],
])('Under %s', (_, policy) => {
  it('the introduction has the first request for the first model, and no credentials', () => {
    const text = introductionOf(routerOf(policy).toOpenApi(), {
      hasStartPage: true,
      hasMore: false,
    })
    expect(text).toContain('[Start page](./)')
    expect(text).toContain("curl -g '{origin}/api/zebras?page[size]=5'")
    expect(text).not.toContain('Credentials')
    expect(
      introductionOf(routerOf(policy).toOpenApi(), { hasStartPage: false, hasMore: false }),
    ).not.toContain('Start page')
  })

  it('it says how to send credentials', () => {
    const router = routerOf(policy, {
      security: {
        authentication: [basic({ users: { ada: 'right' }, caller: (id) => ({ id }) })],
        callerSchema: z.object({ id: z.string() }),
      },
    })
    const text = introductionOf(router.toOpenApi(), { hasStartPage: true, hasMore: false })
    expect(text).toContain("A user name and a password: `curl -u 'name:password' …`")
  })

  it.each([
    ['3.0.4', 'x-displayName'],
    ['3.1.2', 'x-displayName'],
    ['3.2.0', 'summary'],
  ] as const)(
    'tags of OpenAPI %s have titles in plain words, in the order of registration',
    (version, member) => {
      const { tags } = routerOf(policy).toOpenApi({ version: version as OpenApiVersion })
      expect(tags.slice(0, 3)).toEqual([
        { name: 'zebras', [member]: 'Zebras', description: 'The zebras' },
        { name: 'catalogImports', [member]: 'Catalog imports', description: 'The catalog imports' },
        { name: 'apiKeys', [member]: 'API keys', description: 'The API keys' },
      ])
    },
  )
})
