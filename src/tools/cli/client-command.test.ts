import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRouter, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { clientCommand } from './client-command.ts'
import { runCommand } from './run-command.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(root, 'test/client/command-'))
afterAll(() => rmSync(folder, { recursive: true }))

const service = join(folder, 'service.mjs')
const twoServices = join(folder, 'two.mjs')
const source = (exported: string, field: string) => `
import { createRouter, model } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
const Book = model('book', { ${field}: z.string() })
const store = memory()
const made = (policy, basePath) => {
  const router = createRouter({ policy, basePath, store })
  router.prepare(Book)
  return router
}
export const ${exported}
`
writeFileSync(service, source("router = made(rest(), '/api')", 'title'))
writeFileSync(
  twoServices,
  source("all = [made(rest(), '/api'), made(jsonApi(), '/json-api')]", 'title'),
)

const command = join(root, 'dist/tools/cli/resourcery.js')
function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'client', ...args], {
    encoding: 'utf8',
    cwd: folder,
  })
  return { status, output: stdout + stderr }
}

describe('resourcery client', () => {
  it('writes a file for a module, and tells with --check when it is stale', () => {
    const out = join(folder, 'api.ts')
    expect(run(service, '-o', 'api.ts')).toEqual({ status: 0, output: "Wrote 'api.ts'.\n" })
    expect(readFileSync(out, 'utf8')).toContain('export interface Book {')
    expect(run(service, '--check').status).toBe(0)
    expect(run(service).output).toBe("'api.ts' needs no change.\n")
    writeFileSync(service, source("router = made(rest(), '/api')", 'name'))
    const before = readFileSync(out, 'utf8')
    expect(run(service, '--check')).toMatchObject({
      status: 1,
      output: expect.stringContaining("'api.ts' is stale: run 'resourcery client"),
    })
    expect(readFileSync(out, 'utf8')).toBe(before)
  }, 60_000)

  it('writes over no file of somebody else', () => {
    const file = join(folder, 'mine.ts')
    writeFileSync(file, 'export const router = 1\n')
    const { status, output } = run(service, '-o', 'mine.ts')
    expect([status, output]).toEqual([
      2,
      expect.stringContaining("'mine.ts' is there, and 'resourcery client' has not written it."),
    ])
    expect(readFileSync(file, 'utf8')).toBe('export const router = 1\n')
  }, 60_000)

  it('needs the path of one of several routers', () => {
    expect(run(twoServices)).toMatchObject({
      status: 2,
      output: expect.stringContaining("name one by --path, with one of '/api', '/json-api'"),
    })
    expect(run(twoServices, '--path', '/none').output).toContain("has the path '/none'")
    expect(run(twoServices, '--path', '/json-api', '-o', 'json-api.ts').status).toBe(0)
    expect(readFileSync(join(folder, 'json-api.ts'), 'utf8')).toContain("policy: 'json-api'")
  }, 60_000)

  it('reads a document at an address, with headers', async () => {
    const router = createRouter({
      policy: rest(),
      basePath: '/api',
      store: memory(),
      docsPage: true,
    })
    router.prepare(model('note', { text: z.string() }))
    const server = await serve(router, { port: 0 })
    const out = join(folder, 'remote.ts')
    const printed: string[] = []
    const output = { print: (text: string) => printed.push(text), printError: console.error }
    const address = `${server.address}/api/openapi.json`
    const args = ['client', address, '-o', out, '--header', 'authorization: Bearer a']
    const log = console.log
    console.log = output.print
    try {
      expect(await runCommand([clientCommand], args, output)).toBe(0)
    } finally {
      console.log = log
      await server.close()
    }
    expect(readFileSync(out, 'utf8')).toContain('export interface Note {')
    expect(printed).toEqual([`Wrote '${out}'.`])
  })
})

it('The written file compiles alone, with the package as it is built', () => {
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { module: 'nodenext', strict: true, noEmit: true, lib: ['es2022', 'dom'] },
      files: ['json-api.ts', 'use.ts'],
    }),
  )
  writeFileSync(
    join(folder, 'use.ts'),
    `import { createClient } from 'resourcery/client'
import { manifest } from './json-api.js'
export const title: Promise<string> = createClient(manifest, { url: '' }).books.get('a').then((book) => book.title)`,
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' })
}, 60_000)
