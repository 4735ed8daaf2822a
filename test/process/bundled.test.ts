import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { root, temporaryFolder } from '../support/documentation.ts'

const folder = temporaryFolder('bundled')
afterAll(() => rmSync(folder, { recursive: true }))

/** More items than tables that are searched on the main thread have. */
const itemCount = 6_000

function numbersWith(digits: string): number {
  return Array.from({ length: itemCount }, (_, number) => `${number}`).filter((text) =>
    text.includes(digits),
  ).length
}

const program = (file: string, layout: string) => `
import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'

async function main() {
  const Book = model('book', { title: z.string(), text: z.string() }, { ids: 'client' })
  const store = sqlite(${JSON.stringify(file)}, { durability: 'normal', layout: '${layout}' })
  const router = createRouter({ policy: rest(), basePath: '/api', docsPage: true, store })
  router.prepare(Book)
  const text = 'lorem ipsum '.repeat(100)
  await router.load(Book, Array.from({ length: ${itemCount} }, (_, n) => ({ id: 'b' + n, title: 'T' + n, text })))
  const get = async (path) => {
    const response = await router.handle(new Request('http://localhost' + path))
    const text = await response.text()
    return { status: response.status, type: response.headers.get('content-type'), text }
  }
  const contains = (text) => get('/api/books?filter[title][contains]=' + text + '&sort=-text,title')
  // Several at once, so that they do not fit into the time that the main thread has for trials.
  const [one, many, whole, counted, docs, script] = await Promise.all([
    contains('T5999'), contains('99'), get('/api/books?sort=-text,-title'),
    get('/api/books?filter[text][contains]=dolor&page[size]=1&withCount=true'),
    get('/api/docs'), get('/api/docs/reference.js'),
  ])
  const ids = (response) => JSON.parse(response.text).books.map(({ id }) => id)
  console.log(JSON.stringify({
    one: [one.status, ids(one)], many: [many.status, ids(many).length],
    whole: [whole.status, ids(whole).length], counted: counted.status,
    docs, script: script.status,
  }))
  await router.close()
}
main()
`

interface Output {
  readonly one: readonly [number, readonly string[]]
  readonly many: readonly [number, number]
  readonly whole: readonly [number, number]
  readonly counted: number
  readonly docs: { readonly status: number; readonly type: string; readonly text: string }
  readonly script: number
}

test.each([
  ['esm', 'documents'],
  ['cjs', 'documents'],
  ['esm', 'tables'],
] as const)(
  'a service that esbuild bundles as %s, with %s, searches large tables and says what is missing',
  async (format, layout) => {
    const extension = format === 'esm' ? 'mjs' : 'cjs'
    const source = join(folder, `service-${layout}-${format}.ts`)
    // Not as deep as the sources, which find the built script of the page by a relative path.
    const bundle = join(folder, `service-${layout}-${format}.${extension}`)
    writeFileSync(source, program(join(folder, `${layout}-${format}.db`), layout))
    await build({
      entryPoints: [source],
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format,
      external: ['@photostructure/sqlite', 'sharp', 'pg'],
      logLevel: 'error',
      logOverride: { 'empty-import-meta': 'silent' },
    })
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [bundle], { cwd: root })
    const output = JSON.parse(stdout) as Output
    expect(output.one).toEqual([200, ['b5999']])
    expect(output.many).toEqual([200, numbersWith('99')])
    expect(output.whole).toEqual([200, itemCount])
    expect(output.counted).toBe(200)
    expect(output.docs).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' })
    expect(output.docs.text).toContain('--external:resourcery')
    expect(output.docs.text).toContain('openapi.json')
    expect(output.docs.text).not.toContain('<script')
    expect(output.script).toBe(404)
    expect(stderr.match(/'scan-worker\.js' of resourcery is missing/g)).toHaveLength(1)
    expect(stderr).toContain('--external:resourcery')
  },
  60_000,
)
