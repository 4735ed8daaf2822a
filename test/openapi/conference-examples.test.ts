import { createRouter, file, list, model, type Router, struct } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import type { OpenApiDocument } from 'resourcery/openapi'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { conference } from '../../examples/conference/conference.ts'
import { localIssuer } from '../../examples/conference/issuer.ts'
import { attendees, seed } from '../../examples/conference/seed.ts'
import { client } from '../support/client.ts'
import { documentSchemas } from '../support/truth/schemas.ts'
import { operationsOf } from './documents.ts'

/** A request as the documentation page prefills it, if its body is JSON or it has none. */
interface Example {
  readonly name: string
  readonly method: string
  /** The path with the examples of its parameters. */
  readonly path: string
  readonly mediaType?: string
  readonly body?: unknown
  /** What the schema says against the body. */
  readonly fault?: string | undefined
}

function examplesOf(document: OpenApiDocument): readonly Example[] {
  const schemas = documentSchemas(document, 'as written')
  return operationsOf(document).flatMap(({ method, path, operation }): Example[] => {
    const { parameters = [], requestBody } = operation
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      String(parameters.find((parameter) => parameter.name === name)?.example ?? `{${name}}`),
    )
    const base = { name: `${method} ${path}`, method, path: filled }
    if (!requestBody) return [base]
    return Object.entries(requestBody.content)
      .filter(([mediaType]) => mediaType.includes('json'))
      .map(([mediaType, content]) => {
        const body = 'example' in content ? content.example : undefined
        const steps = ['paths', path, method.toLowerCase(), 'requestBody', 'content', mediaType]
        const pointer = steps.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
        const fault = schemas.fault(`/${pointer.join('/')}/schema`, body)
        return { ...base, mediaType, body, fault }
      })
  })
}

const issuer = localIssuer()

describe.each([
  ['REST', 0, '/api'],
  ['JSON:API', 1, '/json-api'],
] as const)('The prefilled requests of the conference, under %s', (_, index, mount) => {
  const fresh = async () => {
    const routers = conference({
      store: memory(),
      blobs: memoryBlobs(),
      outbox: '/dev/null',
      cursorSecret: 'a secret of at least 32 bytes for tests',
      issuerKey: issuer.publicKey,
    })
    await seed(routers[0]!)
    return client(routers[index] as unknown as Router)
  }

  it('have examples that fit their schemas, and that succeed for some caller', async () => {
    const failures = new Map<string, string[]>()
    const succeeded = new Set<string>()
    for (const attendee of attendees) {
      const authorization = `Bearer ${await issuer.sign(attendee)}`
      const document = (await (await fresh()).get(`${mount}/openapi.json`, { authorization }))
        .body as OpenApiDocument
      const examples = examplesOf(document)
      expect(examples.filter(({ path }) => path.includes('{'))).toEqual([])
      for (const { name, method, path, mediaType, body, fault } of examples) {
        expect([name, fault]).toEqual([name, undefined])
        // Reads and deletions have nothing but a path; files and their images are uploaded first.
        if (succeeded.has(name) || (!mediaType && method !== 'POST')) continue
        const headers = { authorization, ...(mediaType && { 'content-type': mediaType }) }
        const api = await fresh()
        const { status, text } = await api.send(method, mount + path, body, headers)
        if (status < 300) succeeded.add(name)
        else
          failures.set(name, [
            ...(failures.get(name) ?? []),
            `${attendee.id}: ${status} ${JSON.stringify(body)} ${text}`,
          ])
      }
    }
    for (const name of succeeded) failures.delete(name)
    expect(Object.fromEntries(failures)).toEqual({})
    expect(succeeded.size).toBeGreaterThan(15)
  }, 120_000)
})

it.each([
  ['REST', rest()],
  ['JSON:API', jsonApi()],
])('the examples of a model with uploads succeed: %s', async (_, policy) => {
  const Album = model(
    'album',
    {
      title: z.string(),
      cover: file({ types: ['image/png'] }),
      tracks: list(struct({ name: z.string(), sound: file() })),
    },
    { exampleId: 'first' },
  )
  const fresh = async () => {
    const router = createRouter({ policy, store: memory(), blobs: memoryBlobs() })
    router.prepare(Album)
    await router.load(Album, [{ id: 'first', title: 'One', tracks: [] }])
    return router
  }
  const examples = examplesOf((await fresh()).toOpenApi()).filter(({ mediaType }) => mediaType)
  const names = examples.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['POST /albums', 'PUT /albums/{id}', 'PATCH /albums/{id}']),
  )
  for (const { name, method, path, mediaType, body, fault } of examples) {
    expect([name, fault]).toEqual([name, undefined])
    const api = client(await fresh())
    const { status, text } = await api.send(method, path, body, { 'content-type': mediaType! })
    expect([name, status < 300 ? 'success' : text]).toEqual([name, 'success'])
  }
})
