import spectralCore from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { createRouter, model, type Router, type RouterOptions } from 'resourcery'
import { memory } from 'resourcery/memory'
import type { OpenApiDocument, OpenApiVersion, OwnOperations } from 'resourcery/openapi'
import { rest } from 'resourcery/rest'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { describedOperations } from '../../src/tools/check/described-operation.ts'
import { get } from '../http/service.ts'
import { as, Caller, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'

const Book = model('book', { title: z.string() })

function bookshop(options: Partial<RouterOptions> = {}): Router {
  const router = createRouter({ policy: rest(), basePath: '/api', store: memory(), ...options })
  router.prepare(Book).use({
    request: { any: () => undefined },
    declares: { security: { token: { type: 'http', scheme: 'bearer' } } },
  })
  return router
}

const ok = { 200: { description: 'It is up' } }
const health: OwnOperations = { get: { summary: 'Check the health', responses: ok } }
const name = {
  name: 'name',
  in: 'path',
  description: 'Its name',
  required: true,
  schema: { type: 'string' },
} as const

const exports: OwnOperations = {
  get: {
    summary: 'Download an export',
    description: 'All books of a publisher.',
    operationId: 'downloadExport',
    tags: ['books'],
    parameters: [name],
    security: [{ token: [] }],
    responses: {
      200: {
        description: 'The books',
        content: { 'text/csv': { schema: { type: 'string' } } },
      },
      404: { description: 'There is no such export' },
    },
  },
  post: {
    summary: 'Make an export',
    description: 'It takes a minute.',
    parameters: [name],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } },
    },
    responses: { 202: { description: 'The export is made' } },
  },
}

test('described routes stand in the document, with a server of their own', () => {
  const { paths, tags } = bookshop()
    .describe('/health', health)
    .describe('/api/exports/{name}', exports)
    .toOpenApi()
  expect(paths['/health']).toEqual({
    servers: [{ url: '/' }],
    get: { ...health.get, tags: ['service'], operationId: 'getHealth' },
  })
  expect(paths['/api/exports/{name}']).toMatchObject({ servers: [{ url: '/' }], get: exports.get })
  expect(paths['/books']?.servers).toBeUndefined()
  expect(tags.map((tag) => tag.name)).toEqual(['books', 'service'])
})

test('the server of a route is that of the router, without its base path', () => {
  const servers = [{ url: 'https://books.example/api', description: 'Live' }, { url: '/v1' }]
  const { paths } = bookshop().describe('/health', health).toOpenApi({ servers })
  expect(paths['/health']?.servers).toEqual([
    { url: 'https://books.example', description: 'Live' },
    { url: '/v1' },
  ])
  const atRoot = bookshop({ basePath: '' }).describe('/health', health).toOpenApi()
  expect(atRoot.paths['/health']?.servers).toEqual([{ url: '/' }])
})

test('a router without own routes has the same document as before', () => {
  expect(JSON.stringify(bookshop().toOpenApi())).not.toContain('"service"')
})

test('a described route says what its router knows of its callers, unless it declares it', async () => {
  const router = createRouter({
    policy: rest(),
    store: memory(),
    docsPage: true,
    security: { authentication: [token], callerSchema: Caller },
  })
  router.prepare(Book).access(({ anyone, signedIn }) => ({ read: anyone, create: signedIn }))
  const { get } = exports
  router
    .describe('/health', health)
    .describe('/open', { get: { ...health.get!, security: [] } })
    .describe('/exports/{name}', { get: get!, delete: { ...exports.post!, security: [] } })
    .describe('/mine', { get: { ...health.get!, security: [{ token: [] }] } })
  const api = client(router)
  const documentFor = async (caller?: string) =>
    (await api.get('/openapi.json', as(caller))).body as OpenApiDocument
  const { paths } = await documentFor('ann')
  expect(paths['/health']!.get!.security).toEqual([{ token: [] }, {}])
  expect(paths['/open']!.get!.security).toEqual([])
  expect(paths['/mine']!.get!.security).toEqual([{ token: [] }])
  const anonymous = await documentFor()
  expect(anonymous.paths['/health']!.get!.security).toEqual([{ token: [] }, {}])
  expect(anonymous.paths).not.toHaveProperty('/mine')
  expect(anonymous.paths['/exports/{name}']).toHaveProperty('delete')
  expect(anonymous.paths['/exports/{name}']).not.toHaveProperty('get')
  expect((await api.get('/docs/start.js')).text).toContain('addSignIn()')
})

test('a router without models describes the schemes of its authenticators for its routes', () => {
  const router = createRouter({
    policy: rest(),
    store: memory(),
    security: { authentication: [token], callerSchema: Caller },
  })
  const mine = { get: { ...health.get!, security: [{ token: [] }] } }
  const { components, paths } = router.describe('/mine', mine).toOpenApi()
  expect(components.securitySchemes).toEqual({ token: token.scheme })
  expect(paths['/mine']!.get!.security).toEqual([{ token: [] }])
})

test('the served document has them, and resourcery check leaves them alone', async () => {
  const router = bookshop({ docsPage: true }).describe('/health', health)
  const document = (await get(router, '/api/openapi.json')).json<Record<string, object>>()
  expect(document.paths).toHaveProperty('/health')
  expect(describedOperations(document).map(({ path }) => path)).not.toContain('/health')
  expect(() => router.describe('/other', health)).toThrow(
    'The router is open: open(), load() or a first request',
  )
})

test.each(['3.0.4', '3.1.2', '3.2.0'] satisfies OpenApiVersion[])(
  'Spectral finds nothing in the document of OpenAPI %s',
  async (version) => {
    const spectral = new spectralCore.Spectral()
    spectral.setRuleset({
      extends: [oas as never],
      rules: { 'info-contact': 'off', 'info-description': 'off', 'operation-description': 'off' },
    })
    const router = bookshop().describe('/health', health).describe('/exports/{name}', exports)
    const document = router.toOpenApi({ version })
    expect(await spectral.run(JSON.parse(JSON.stringify(document)))).toEqual([])
    const faulty = { ...document, paths: { '/health': { get: { summary: 'x' } } } }
    expect((await spectral.run(JSON.parse(JSON.stringify(faulty)))).length).toBeGreaterThan(0)
  },
)

describe('Refused are', () => {
  test.each<[string, OwnOperations | unknown, string]>([
    ['health', health, 'must begin with a slash'],
    ['/health?x=1', health, 'must begin with a slash'],
    ['/health/:id', health, 'must begin with a slash'],
    ['/health', {}, 'needs an operation by method'],
    ['/health', undefined, 'must be an object'],
    ['/health', health.get, "Unknown method 'summary'"],
    ['/health', { gett: health.get }, "Did you mean 'get'?"],
    ['/health', { get: { responses: ok } }, "describe('/health').get needs a 'summary'"],
    ['/health', { get: { summary: 5, responses: ok } }, "'summary' of describe('/health').get"],
    ['/health', { get: { summary: 'x' } }, "'responses'"],
    ['/health', { get: { summary: 'x', responses: {} } }, "'responses'"],
    ['/health', { get: { summary: 'x', responses: { 600: { description: '' } } } }, 'got "600"'],
    ['/health', { get: { summary: 'x', responses: { 200: {} } } }, 'responses.200.description'],
    ['/health', { get: { ...health.get, response: ok } }, "Did you mean 'responses'?"],
    ['/health', { get: { ...health.get, parameters: [{ name: 'a' }] } }, "'parameters'"],
    ['/health', { get: { ...health.get, parameters: [name] } }, 'which its path does not have'],
    ['/health', { get: { ...health.get, requestBody: {} } }, "'requestBody.content'"],
    ['/x/{id}', health, "needs the required parameter 'id' of its path"],
  ])('%s with %j', (path, operations, message) => {
    expect(() => bookshop().describe(path, operations as OwnOperations)).toThrow(message)
  })

  test('paths of rules, whatever their parameters are called', async () => {
    const item: OwnOperations = { get: { ...health.get!, parameters: [{ ...name, name: 'x' }] } }
    for (const [path, operations] of [
      ['/api/books', health],
      ['/books', health],
      ['/api/books/{x}', item],
    ] as const) {
      const router = bookshop().describe(path, operations)
      expect(() => router.toOpenApi()).toThrow(`describe('${path}') clashes with GET /api/books`)
      await expect(router.open()).rejects.toThrow('clashes with')
    }
    expect(() => bookshop().describe('/health', health).describe('/health', health)).toThrow(
      'twice',
    )
  })

  test('operation ids that are taken, and what the document does not have', () => {
    const documentWith = (changes: object) =>
      bookshop()
        .describe('/health', { get: { ...health.get!, ...changes } })
        .toOpenApi()
    expect(() => documentWith({ operationId: 'getBooks' })).toThrow(
      "'getBooks' of '/health' is taken",
    )
    expect(() => documentWith({ security: [{ key: [] }] })).toThrow("the security scheme 'key'")
    const schema = { $ref: '#/components/schemas/Author' }
    const responses = { 200: { description: 'x', content: { 'application/json': { schema } } } }
    expect(() => documentWith({ responses })).toThrow("'#/components/schemas/Author'")
  })
})
