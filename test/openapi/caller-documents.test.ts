import { createRouter, field, file, model, type Policy, toMany, toOne } from 'resourcery'
import { basic } from 'resourcery/auth'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import type { OpenApiDocument } from 'resourcery/openapi'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { accessRouter, as, Caller, token } from '../support/access-world.ts'
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
    expect(start.text).toContain('without credentials, what everyone may')
    expect(start.text).toContain('addSignIn()')
    expect((await api.get('/docs/start.js', as('ann'))).text).not.toContain('addSignIn')
    expect((await api.get('/openapi.json', as('wrong'))).status).toBe(401)
  })
})

describe.each(policies)('A field that its caller sees in no item, under %s', (_, policy) => {
  class Patient extends model('patient', {
    name: z.string(),
    treatments: toMany('visit', { inverse: 'sickPerson' }),
    diagnosis: z.string().optional(),
    wish: z.string().optional(),
    place: z.string().default('ward'),
    picture: file({ types: ['text/plain'] }),
  }) {}
  class Visit extends model('visit', { at: z.string(), sickPerson: toOne('patient') }) {}
  const router = createRouter({
    policy,
    store: memory(),
    blobs: memoryBlobs(),
    docsPage: true,
    security: {
      authentication: [token],
      // An admin is no patient.
      callerSchema: Caller.transform(({ id, roles }) =>
        roles.length > 0 ? { roles } : { roles, id },
      ),
    },
  })
  router.prepare(Patient).access(({ item, before, caller, anyone }) => {
    const own = item.id.equal(caller.id)
    return {
      fields: {
        diagnosis: { read: own },
        picture: { read: own },
        wish: { read: own, write: anyone },
        place: { read: anyone, write: before.id.equal(caller.id) },
      },
    }
  })
  router.prepare(Visit).access(({ item, caller }) => ({
    fields: { sickPerson: { read: item.sickPerson.equal(caller.id) } },
  }))
  const isJsonApi = policy.name === 'json-api'
  const api = client(router, undefined, isJsonApi ? 'application/vnd.api+json' : undefined)
  const documentFor = async (caller?: string) =>
    (await api.get('/openapi.json', as(caller))).body as OpenApiDocument
  /** A schema, with that of the attributes of JSON:API. */
  const schemaFor = async (caller: string, name: string) => {
    const { schemas } = (await documentFor(caller)).components
    return JSON.stringify([schemas![name], schemas![`${name}Attributes`]])
  }

  it.each([undefined, 'x:admin'])('is in no part of the document of %s', async (caller) => {
    const text = JSON.stringify(await documentFor(caller))
    expect(text).toContain('"place"')
    expect(text).not.toMatch(/diagnosis|picture|treatments|sickPerson/)
    expect((await documentFor(caller)).paths).not.toHaveProperty(['/visits/{id}/sickPerson'])
  })

  it('is in the document of those who see it in some item', async () => {
    const text = JSON.stringify(await documentFor('ann'))
    for (const name of ['diagnosis', 'picture', 'treatments', 'sickPerson'])
      expect(text).toContain(`"${name}"`)
  })

  it('is in requests only, where the caller can set it', async () => {
    expect(await schemaFor('x:admin', 'PatientCreate')).toContain('"wish"')
    expect(await schemaFor('x:admin', 'Patient')).not.toContain('"wish"')
  })

  it('is read-only where the caller sees it and sets it in no item', async () => {
    const readOnly = /"place":\{[^{}]*"readOnly":true/
    expect(await schemaFor('x:admin', 'PatientPatch')).toMatch(readOnly)
    expect(await schemaFor('ann', 'PatientPatch')).not.toMatch(readOnly)
  })

  it('closes the creation of items that have to have it', async () => {
    const routes = async (caller: string) =>
      operationsOf(await documentFor(caller)).map(({ method, path }) => `${method} ${path}`)
    expect(await routes('x:admin')).not.toContain('POST /visits')
    expect(await routes('ann')).toContain('POST /visits')
    const visit = { at: 'noon', sickPerson: 'ann' }
    const body = isJsonApi
      ? {
          data: {
            type: 'visits',
            attributes: { at: 'noon' },
            relationships: { sickPerson: { data: { type: 'patients', id: 'ann' } } },
          },
        }
      : { visit }
    expect((await api.post('/visits', body, as('x:admin'))).status).toBe(422)
  })

  it('leaves the operations on other members to the caller', async () => {
    const routes = operationsOf(await documentFor('x:admin')).map(
      ({ method, path }) => `${method} ${path}`,
    )
    expect(routes).toEqual(
      expect.arrayContaining(['GET /patients', 'PATCH /patients/{id}', 'DELETE /visits/{id}']),
    )
  })
})

it('a document without any operation for the caller still says how to sign in', async () => {
  const router = createRouter({
    policy: rest(),
    store: memory(),
    docsPage: true,
    capabilities: 'models',
    security: {
      authentication: [basic({ users: { ann: 'secret' }, caller: (id) => ({ id }) })],
      callerSchema: z.object({ id: z.string() }),
    },
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

it('a document without members that other callers see says so', async () => {
  const pageOf = async (isForAll: boolean): Promise<string> => {
    const router = createRouter({
      policy: rest(),
      store: memory(),
      docsPage: true,
      security: {
        authentication: [basic({ users: { ann: 'secret' }, caller: (id) => ({ id }) })],
        callerSchema: z.object({ id: z.string() }),
      },
    })
    router
      .prepare(model('note', { text: z.string(), remark: z.string().optional() }))
      .access(({ anyone, signedIn }) => ({
        read: anyone,
        create: anyone,
        update: anyone,
        delete: anyone,
        fields: { remark: { read: isForAll ? anyone : signedIn } },
      }))
    return (await client(router).get('/docs/start.js')).text
  }
  expect(await pageOf(false)).toContain('without credentials, what everyone may')
  expect(await pageOf(true)).not.toContain('without credentials, what everyone may')
})

describe.each(policies)('The document for all callers under %s', (_, policy) => {
  const router = createRouter({
    policy,
    store: memory(),
    security: { authentication: [token], callerSchema: Caller },
  })
  router
    .prepare(model('note', { text: z.string() }))
    .access(({ item, caller, anyone, signedIn }) => ({
      read: anyone,
      create: signedIn,
      update: item.text.equal(caller.id),
      delete: item.text.equal('old').or(item.text.equal(caller.id)),
    }))
  const api = client(router)
  const { paths } = router.toOpenApi()

  it.each([
    ['get', '/notes', true],
    ['post', '/notes', false],
    ['patch', '/notes/{id}', false],
    ['delete', '/notes/{id}', true],
  ] as const)(
    'says whether %s %s needs credentials: an anonymous caller %s',
    (method, path, isOpen) => {
      expect(paths[path]![method]!.security).toEqual([{ token: [] }, ...(isOpen ? [{}] : [])])
    },
  )

  it.each([
    ['POST', '/notes'],
    ['PATCH', '/notes/x'],
  ])('refuses %s %s of an anonymous caller', async (method, path) => {
    const body = method === 'POST' ? { text: 'new' } : { text: 'other' }
    const isJsonApi = policy.name === 'json-api'
    const data = { type: 'notes', ...(method === 'PATCH' && { id: 'x' }), attributes: body }
    const response = await api.send(
      method,
      path,
      isJsonApi ? { data } : { note: body },
      isJsonApi ? { 'content-type': 'application/vnd.api+json' } : {},
    )
    expect(response.status).toBe(401)
  })
})

it('a document names no timeout of hooks where only a hidden member is immutable', async () => {
  const router = createRouter({ policy: rest(), store: memory(), docsPage: true })
  router
    .prepare(
      model('note', {
        text: z.string(),
        origin: field(z.string().optional(), { immutable: true }),
      }),
    )
    .access(({ anyone, nobody }) => ({
      read: anyone,
      create: anyone,
      update: anyone,
      delete: anyone,
      fields: { origin: { read: nobody } },
    }))
  expect((await client(router).get('/openapi.json')).text).not.toContain('`hook-timeout`')
})
