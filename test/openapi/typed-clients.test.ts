import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { memory, memoryBlobs } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { bookstore, jsonApiBookstore } from '../../examples/bookstore/bookstore.ts'
import { seed } from '../../examples/bookstore/seed.ts'
import { blocksOf, pageAt } from '../support/documentation.ts'
import { mediaSamples } from '../support/media.ts'
import { generateClient, generateTypes } from './typed-clients/generate.ts'
import {
  generateByKubb,
  generateByOrval,
  generateBySwaggerTypescriptApi,
} from './typed-clients/generate-files.ts'
import type { DressingProgram } from './typed-clients/programs/dressed-book.ts'
import type { Program } from './typed-clients/programs/round-trip.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('Typed clients made of the bookstore’s documents', () => {
  mkdirSync(join(root, '.data'), { recursive: true })
  const folder = mkdtempSync(join(root, '.data/typed-clients-'))
  let server: Awaited<ReturnType<typeof serve>> | undefined

  beforeAll(async () => {
    const parts = { store: memory(), blobs: memoryBlobs() }
    const routers = { rest: bookstore(parts), 'json-api': jsonApiBookstore(parts) }
    for (const router of Object.values(routers)) await router.open()
    await seed(routers.rest, join(root, 'examples/bookstore/data'))
    server = await serve(Object.values(routers), { port: 0 })
    cpSync(join(root, 'test/openapi/typed-clients/programs'), folder, { recursive: true })
    writeFileSync(join(folder, 'guide.ts'), guideProgram(server.address))
    for (const [name, router] of Object.entries(routers)) {
      // Items are read as a whole here; with `fields`, every member would be optional in the types.
      const document = router.toOpenApi({
        fields: false,
        info: { title: 'Bookstore', version: '1' },
      })
      await generateTypes(document, join(folder, `${name}.ts`))
      await generateClient(document, join(folder, name))
      const mount = name === 'rest' ? '/api' : '/json-api'
      await generateByOrval(
        document,
        join(folder, `${name}-orval-client.ts`),
        server.address + mount,
      )
      await generateByKubb(document, join(folder, `${name}-kubb-client`))
      await generateBySwaggerTypescriptApi(
        document,
        join(folder, `${name}-swagger-typescript-api-client`),
      )
    }
  }, 180_000)
  afterAll(async () => {
    await server?.close()
    rmSync(folder, { recursive: true })
  })

  it('type-check with the programs that use them, under --strict; wrong uses do not', async () => {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
    expect(await errorsIn(folder)).toBe('')
  }, 60_000)

  it.each(['rest', 'json-api'])(
    'have a type for every member of requests and responses: %s',
    (name) => {
      const text = readFileSync(join(folder, `${name}.ts`), 'utf8')
      const [, schemas = ''] = /\n {4}schemas: \{\n(.*?)\n {4}\};?\n/s.exec(text) ?? []
      expect(schemas).toContain('title: string;')
      const types = schemas.replaceAll(/"[^"]*"|\/\*[\s\S]*?\*\//g, '').split('\n')
      const untyped = types
        .map((line) => line.trim())
        .filter((line) => /\b(?:unknown|never|any)\b(?!\?:)/.test(line))
      expect(untyped.filter((line) => !rightlyUntyped.some((entry) => entry.test(line)))).toEqual(
        [],
      )
    },
  )

  const programs = [
    ['rest', 'openapi-fetch', '/api'],
    ['rest', 'hey-api', '/api'],
    ['json-api', 'openapi-fetch', '/json-api'],
    ['json-api', 'hey-api', '/json-api'],
  ]
  it.each(programs)(
    'create, read, patch, list and upload over a socket: %s by %s',
    async (policy, tool, path) => {
      const { roundTrip } = (await import(join(folder, `${policy}-${tool}.ts`))) as {
        roundTrip: Program
      }
      const bytes = (await mediaSamples())['image/png']!
      const cover = new File([Buffer.from(bytes)], 'mathilda.png', { type: 'image/png' })
      const seen = await roundTrip(server!.address + path, cover)
      const { id } = seen.created
      expect(seen).toEqual({
        created: { id: expect.any(String), title: 'Mathilda', inStock: true },
        read: { author: 'Mary Shelley', genres: ['gothic-fiction'], pages: 120 },
        patchedPrice: 6,
        stale: 412,
        listed: [{ id, price: 6 }],
        uploaded: { contentType: 'image/png', size: bytes.length },
        downloadedBytes: bytes.length,
        refused: [
          { code: 'invalid-member', pointer: policy === 'rest' ? '/book' : '/data/attributes' },
        ],
        gone: 404,
      })
    },
  )

  it.each(['orval', 'kubb', 'swagger-typescript-api'])(
    'create, list and upload over a socket: rest by %s',
    async (tool) => {
      const { dressed } = (await import(join(folder, `rest-${tool}.ts`))) as {
        dressed: DressingProgram
      }
      const bytes = (await mediaSamples())['image/png']!
      const seen = await dressed(
        `${server!.address}/api`,
        new File([Buffer.from(bytes)], 'poems.png', { type: 'image/png' }),
      )
      expect(seen).toMatchObject({
        created: { title: 'Poems', inStock: true },
        listed: expect.arrayContaining([{ id: seen.id, price: 7.5 }]),
        uploaded: { contentType: 'image/png', size: bytes.length },
      })
    },
  )

  it('are as short as the guide shows', async () => {
    const print = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    onTestFinished(() => print.mockRestore())
    await import(join(folder, 'guide.ts'))
    expect(print.mock.calls).toEqual([['Dracula', 9, 'dracula']])
  })
})

/** The program that the guide shows with a typed client, for the service at an address. */
function guideProgram(address: string): string {
  const blocks = blocksOf(pageAt('docs/guide/openapi-and-typed-clients.md'))
  const program = blocks.find(
    ({ language, code }) => language === 'ts' && code.includes('openapi-fetch'),
  )
  return program!.code
    .replace('./bookstore.ts', './rest.ts')
    .replace('http://127.0.0.1:3000', address)
}

/** Ignored members of requests, objects with any members, and empty objects. */
const rightlyUntyped = [
  /^\w+\?: \$Read<unknown>;$/,
  /^\[key: string\]: unknown;$/,
  /^included\?: unknown\[\];$/,
  /^relationships\?: Record<string, never>;$/,
  // The data of a batch operation depends on its target.
  /^data\?: unknown;$/,
]

const tsconfig = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  },
  include: ['**/*.ts'],
}

/** The errors of the compiler. */
async function errorsIn(folder: string): Promise<string> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const run = promisify(execFile)(process.execPath, [tsc, '-p', folder])
  return run.then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
}
