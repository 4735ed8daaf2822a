import { fileURLToPath } from 'node:url'
import { createRouter, field, model, type Router, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bookstore, jsonApiBookstore } from '../../examples/bookstore/bookstore.ts'
import { seed } from '../../examples/bookstore/seed.ts'
import { documentOf, operationAt, operationsOf } from './documents.ts'

const data = fileURLToPath(new URL('../../examples/bookstore/data', import.meta.url))

interface Example {
  readonly method: string
  /** The path with the examples of its parameters. */
  readonly path: string
  readonly mediaType: string
  readonly body: unknown
}

/** Every example of a body, with its path parameters. */
function examplesOf(router: Pick<Router, 'toOpenApi'>): readonly Example[] {
  return operationsOf(router.toOpenApi()).flatMap(({ method, path, operation }) =>
    Object.entries(operation.requestBody?.content ?? {})
      .filter(([mediaType]) => mediaType.includes('json'))
      .map(([mediaType, content]) => ({
        method,
        path: filled(path, operation.parameters),
        mediaType,
        ...bodyOf(content),
      })),
  )
}

function bodyOf(content: object): { readonly body: unknown } {
  return { body: 'example' in content ? content.example : undefined }
}

function filled(path: string, parameters: readonly object[] = []): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((parameter) => 'name' in parameter && parameter.name === name)
    return String(parameter && 'example' in parameter ? parameter.example : `{${name}}`)
  })
}

const bookstores = [
  { name: 'REST', mount: '/api', make: bookstore },
  { name: 'JSON:API', mount: '/json-api', make: jsonApiBookstore },
]

describe.each(bookstores)(
  'The examples in the bookstore’s document, under $name',
  ({ mount, make }) => {
    const fresh = async () => {
      const router = make({ store: memory(), blobs: memoryBlobs() })
      await seed(router, data)
      return router
    }
    const sendExample = (router: Router, { method, path, mediaType, body }: Example) => {
      const init = { method, headers: { 'content-type': mediaType }, body: JSON.stringify(body) }
      return router.handle(new Request(`http://localhost${mount}${path}`, init))
    }

    it('exist for every JSON body, and name an item in every address', () => {
      const examples = examplesOf(make({ store: memory(), blobs: memoryBlobs() }))
      expect(examples.length).toBeGreaterThan(15)
      expect(examples.filter(({ body }) => body === undefined)).toEqual([])
      expect(examples.filter(({ path }) => path.includes('{'))).toEqual([])
    })

    it('succeed as they are, each on a fresh bookstore; creates without a client id succeed twice', async () => {
      for (const example of examplesOf(make({ store: memory(), blobs: memoryBlobs() }))) {
        const { method, path } = example
        const router = await fresh()
        const response = await sendExample(router, example)
        expect(`${response.status} ${await response.text()}`, `${method} ${path}`).toMatch(/^20\d /)
        if (method !== 'POST' || path === '/genres') continue
        const again = await sendExample(router, example)
        expect(`${again.status} ${await again.text()}`, `${method} ${path} again`).toMatch(/^20\d /)
      }
    }, 120_000)
  },
)

describe('The example of a body', () => {
  const bodyOfPost = (fields: Parameters<typeof model>[1], path: string, options = {}) => {
    const Thing = model('thing', fields, options)
    const Owner = model('owner', { name: z.string() }, { exampleId: 'ada' })
    const document = documentOf([Thing, Owner])
    return bodyOf(operationAt(document, path).requestBody!.content['application/json']!).body
  }

  it('uses the examples of fields, and the schemas of required fields', () => {
    const fields = {
      name: z.string().meta({ examples: ['Lamp'] }),
      count: z.int().min(3),
      kind: z.enum(['big', 'small']),
      size: z.object({ width: z.number().positive(), note: z.string().optional() }),
      on: z.iso.date(),
      note: z.string().optional(),
      colour: z
        .string()
        .optional()
        .meta({ examples: ['red'] }),
      seal: field(z.string().optional(), { hidden: true, example: 'x' }),
      since: field(z.string().default('1'), { readOnly: true, example: 'x' }),
      secret: field(z.string().min(6), { writeOnly: true, example: 'secret' }),
    }
    const thing = {
      name: 'Lamp',
      count: 3,
      kind: 'big',
      size: { width: 1 },
      on: '2024-05-17',
      colour: 'red',
    }
    expect(bodyOfPost(fields, 'POST /things')).toEqual({ thing: { ...thing, secret: 'secret' } })
    expect(bodyOfPost(fields, 'PATCH /things/{id}')).toEqual({ thing: { name: 'Lamp' } })
  })

  it('relates to the example items of the models', () => {
    const fields = {
      owner: toOne('owner'),
      other: toOne('owner', { optional: true, example: 'grace' }),
    }
    expect(bodyOfPost(fields, 'POST /things')).toEqual({ thing: { owner: 'ada', other: 'grace' } })
  })

  it('leaves out unique values', () => {
    const fields = {
      name: z.string(),
      code: field(z.string().optional(), { unique: true, example: 'A1' }),
    }
    expect(bodyOfPost(fields, 'POST /things')).toEqual({ thing: { name: 'text' } })
  })

  it('has a new id where clients choose it', () => {
    const body = bodyOfPost({ name: z.string() }, 'POST /things', { ids: 'client' })
    expect(body).toEqual({ thing: { id: 'new-thing', name: 'text' } })
  })

  it('skips an example that the schema refuses, and is left out where no value is known to be valid', () => {
    const short = z.string().max(3)
    expect(bodyOfPost({ name: field(short, { example: 'too long' }) }, 'POST /things')).toEqual({
      thing: { name: 'tex' },
    })
    expect(bodyOfPost({ name: z.string().regex(/^[A-Z]\d$/) }, 'POST /things')).toBeUndefined()
  })

  it('names the item of the address, and holds the input of an action', () => {
    const Lamp = model('lamp', { name: z.string() }, { exampleId: 'lamp-1' })
    for (const policy of [rest(), jsonApi()]) {
      const router = createRouter({ policy, store: memory() })
      const input = z.object({
        level: z
          .int()
          .min(1)
          .max(9)
          .meta({ examples: [5] }),
        note: z.string().optional(),
      })
      router.prepare(Lamp).itemOperation('dim', () => undefined, { input })
      const { parameters, requestBody } = operationAt(router.toOpenApi(), 'POST /lamps/{id}/dim')
      expect(parameters).toContainEqual(expect.objectContaining({ name: 'id', example: 'lamp-1' }))
      expect(requestBody!.content['application/json']).toHaveProperty('example', { level: 5 })
    }
  })
})
