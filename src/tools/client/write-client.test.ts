import { transformSync } from 'esbuild'
import { createRouter, file, list, model, struct, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { writeClient } from './write-client.ts'

type Models = Parameters<ReturnType<typeof createRouter>['prepare']>[0][]

function clientOf(models: Models, policy = rest()): string {
  const router = createRouter({ policy, basePath: '/api', store: memory(), blobs: memoryBlobs() })
  for (const each of models) router.prepare(each)
  return writeClient(router.toOpenApi({ info: { title: 'T', version: '1' } }))
}

/** The text of one type, without its comment. */
function typeIn(text: string, name: string): string {
  const [, found] = new RegExp(`export (?:interface|type) ${name} (?:= )?([\\s\\S]*?)\\n\\n`).exec(
    text,
  )!
  return found!
}

describe('A written client', () => {
  it('has types for what JSON Schema can say', () => {
    const Odd = model('odd', {
      'two-words': z.string(),
      pair: z.tuple([z.string(), z.number()]),
      either: z.union([z.string(), z.object({ a: z.boolean() })]),
      record: z.record(z.string(), z.int()),
      exact: z.literal('x'),
      note: z.string().meta({ description: 'Ends */ a comment,\nand goes on' }).optional(),
    })
    expect(typeIn(clientOf([Odd]), 'Odd')).toBe(`{
  /** Identifies the item in its collection */
  id: string
  'two-words': string
  pair: [string, number]
  either: string | {
    a: boolean
  }
  record: Record<string, number>
  exact: 'x'
  /** Ends *\\/ a comment, and goes on */
  note?: string
}`)
  })

  it('names a type differently where its name is taken', () => {
    const text = clientOf([
      model('book', { title: z.string() }),
      model('bookFilter', { title: z.string() }),
      model('api', { title: z.string() }),
    ])
    expect(text.match(/^export (?:type|interface) BookFilter\b/gm)).toHaveLength(1)
    expect(text.match(/^export (?:type|interface) Api\b/gm)).toHaveLength(1)
    expect(text).toContain('readonly item: Api2')
  })

  it.each([rest(), jsonApi()])('has paths of files in nested values (%#)', (policy) => {
    const Album = model('album', {
      booklet: file(),
      pages: list(struct({ number: z.int(), scan: file() })),
    })
    expect(clientOf([Album], policy)).toMatch(
      /readonly files: 'booklet' \| `pages\/\$\{number\}\/scan`/,
    )
  })

  it.each([rest(), jsonApi()])('has no calls that a model does not have (%#)', (policy) => {
    const Author = model(
      'author',
      { name: z.string(), books: toMany('book', { inverse: 'author' }) },
      { readOnly: true },
    )
    const Book = model('book', { author: toOne('author') })
    const text = clientOf([Author, Book], policy)
    const [ofAuthors] = text.matchAll(/readonly calls: (.*)/g)
    expect(ofAuthors![1]).not.toMatch(/'create'|'update'|'replace'|'delete'|'isOutdated'/)
    // It leads back, although no body of authors shows it.
    expect(text).toContain("books: { model: 'books', isMany: true, inverse: 'author' }")
  })

  it('is the same for every version of the document', () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(model('book', { title: z.string().nullable(), size: z.number().optional() }))
    const info = { title: 'T', version: '1' }
    const [first, ...others] = (['3.1.2', '3.2.0', '3.0.4'] as const).map((version) =>
      writeClient(router.toOpenApi({ info, version })),
    )
    for (const other of others) expect(other).toBe(first)
  })

  it('is refused for a document without models, or none of OpenAPI 3', () => {
    expect(() => writeClient({ openapi: '3.1.0', paths: {} })).toThrow(/describes no models/)
    expect(() => writeClient({ swagger: '2.0' })).toThrow(/of version 3; got 'undefined'/)
  })

  it('has no text of the document as code', async () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(model('writer', { name: z.string() }))
    router.prepare(model('book', { title: z.string(), writer: toOne('writer') }))
    const document = JSON.parse(
      JSON.stringify(router.toOpenApi({ info: { title: 'T', version: '1' } })),
    )
    const code = "x'}`\n}; globalThis.isRun = true; type X = {`'"
    const { properties } = document.components.schemas.Book
    Object.assign(properties.title, { type: code })
    properties.list = { enum: [[code], { [code]: code }, code] }
    for (const { parameters = [] } of Object.values<{ parameters?: unknown[] }>(
      document.paths['/books'],
    ))
      for (const parameter of parameters as { name?: string; schema?: object }[])
        if (parameter.name === 'include')
          Object.assign(parameter.schema!, { 'x-resourcery-relations': { [code]: { to: code } } })
    document.paths[`/books/{id}/${code}`] = { post: { responses: {} } }
    document.paths[`/books/{id}/{${code}}`] = {
      get: { responses: { 200: { content: { [code]: {} } } } },
    }
    const written = transformSync(writeClient(document), { loader: 'ts' }).code
    await import(`data:text/javascript,${encodeURIComponent(written)}`)
    expect(globalThis).not.toHaveProperty('isRun')
  })
})
