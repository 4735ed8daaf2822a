import { createRouter, model, type OpenApiDocument, type Policy } from 'resourcery'
import { basic } from 'resourcery/auth'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { accessRouter, as } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { operationsOf } from './documents.ts'

const policies: readonly (readonly [string, Policy])[] = [
  ['plain REST', rest()],
  ['JSON:API', jsonApi()],
]

describe.each(policies)('The document of a caller under %s', (_, policy) => {
  const api = client(accessRouter(memory(), policy))
  const documentFor = async (token?: string) =>
    (await api.get('/openapi.json', as(token))).body as OpenApiDocument
  const routesFor = async (token?: string) =>
    operationsOf(await documentFor(token)).map(({ method, path }) => `${method} ${path}`)

  it('has the operations that some item allows the caller, and no others', async () => {
    const [anonymous, ann, admin] = [
      await routesFor(),
      await routesFor('ann'),
      await routesFor('x:admin'),
    ]
    expect(anonymous).toContain('GET /talks')
    expect(anonymous.filter((route) => !route.startsWith('GET '))).toEqual([])
    expect(ann).toContain('POST /talks')
    expect(ann).toContain('PATCH /speakers/{id}')
    expect(ann).not.toContain('DELETE /talks/{id}')
    expect(ann).not.toContain('POST /speakers')
    expect(admin).toContain('DELETE /talks/{id}')
    expect(admin).toContain('POST /talks/{id}/accept')
    // The read rule of the photo names the speaker, whom an anonymous caller never is.
    expect(ann).toContain('POST /speakers/{id}/photo')
  })

  it('names the methods of all rules of a path, as Allow does', async () => {
    const { paths } = await documentFor()
    const { headers } = await api.options('/talks')
    expect(paths['/talks']!['x-resourcery-allow']).toBe(headers.get('allow'))
    expect(paths['/talks']!['x-resourcery-allow']).toContain('POST')
  })

  it('marks fields that the caller may read and not set as read-only', async () => {
    const schemasFor = async (token?: string) =>
      JSON.stringify((await documentFor(token)).components.schemas)
    const text = await schemasFor('x:admin')
    expect(text).toMatch(/"status":\{[^{}]*"readOnly":true/)
    expect(text).not.toMatch(/"title":\{[^{}]*"readOnly":true/)
    expect(text).toContain('"agency"')
    expect(await schemasFor('ann')).not.toContain('"agency"')
  })

  it('is kept by its own client only, and is the same for equal callers', async () => {
    const responses = [
      await api.get('/openapi.json'),
      await api.get('/openapi.json', as('ann')),
      await api.get('/openapi.json', as('bob')),
    ] as const
    const tags = responses.map(({ headers }) => headers.get('etag'))
    expect(tags[0]).not.toBe(tags[1])
    expect(tags[1]).toBe(tags[2])
    for (const { headers } of responses) {
      expect(headers.get('cache-control')).toBe('private, no-cache')
      expect(headers.get('vary')).toContain('authorization')
    }
  })

  it('says on the page that there is more for callers with credentials', async () => {
    const start = await api.get('/docs/start.js')
    expect(start.text).toContain('without credentials, what everyone may call')
    expect(start.text).toContain('addSignIn()')
    expect((await api.get('/docs/start.js', as('ann'))).text).not.toContain('addSignIn')
    expect((await api.get('/openapi.json', as('wrong'))).status).toBe(401)
  })
})

it('a document without any operation for the caller still says how to sign in', async () => {
  const router = createRouter({
    policy: rest(),
    store: memory(),
    docs: true,
    capabilities: 'models',
    authentication: [basic({ users: { ann: 'secret' }, caller: (id) => ({ id }) })],
    caller: z.object({ id: z.string() }),
  })
  router.prepare(model('note', { text: z.string() })).access(({ signedIn }) => ({
    read: signedIn,
    create: signedIn,
    update: signedIn,
    delete: signedIn,
  }))
  const api = client(router)
  const document = (await api.get('/openapi.json')).body as OpenApiDocument
  expect([document.paths, document.tags]).toEqual([{}, []])
  expect(Object.keys(document.components.securitySchemes ?? {})).toHaveLength(1)
  expect((await api.get('/docs/start.js')).text).toContain("curl -u 'name:password'")
})
