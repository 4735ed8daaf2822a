import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root, temporaryFolder } from '../support/documentation.ts'

const folder = temporaryFolder('erasing')
const service = join(folder, 'service.mjs')
const unlogged = join(folder, 'unlogged.mjs')
const newer = join(folder, 'newer.mjs')

beforeAll(() => {
  const source = (changes: boolean) => `
import { createRouter, model } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'
export const store = sqlite(${JSON.stringify(join(folder, 'data.db'))})
export const Author = model('author', { name: z.string() })
export const router = createRouter({ policy: rest(), store, changes: ${changes} })
router.prepare(Author)
router.prepare(model('book', { title: z.string() }))
export const jsonApiRouter = createRouter({ policy: jsonApi(), store, changes: ${changes} })
jsonApiRouter.prepare(Author)
`
  writeFileSync(service, source(true))
  writeFileSync(unlogged, source(false))
  writeFileSync(newer, source(true).replace("model('book'", "model('novel'"))
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function node(...args: readonly string[]): Promise<Outcome> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, args, { cwd: folder })) }
  } catch (error) {
    return error as Outcome
  }
}

const resourcery = (...args: readonly string[]) =>
  node(join(root, 'dist/tools/cli/resourcery.js'), ...args)

/** Runs code with the service. */
async function inService(code: string): Promise<unknown> {
  const { stdout, stderr } = await node(
    '--input-type=module',
    '-e',
    `import { router, store, Author } from ${JSON.stringify(service)}
await router.open()
${code}
await router.close()`,
  )
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

const kinds = `const { kind, entries } = await store.changes.read(undefined, 100)
console.log(JSON.stringify(entries?.map((entry) => entry.kind) ?? kind))`

it('resourcery erase erases what the log keeps of an item', async () => {
  await inService(`
for (const id of ['ann', 'bob']) await router.items(Author).create({ id, name: id })
await router.items(Author).delete('ann')
console.log('{}')`)
  expect(await resourcery('erase', service, 'author', 'ann')).toMatchObject({
    code: 0,
    stdout: "Erased 2 records of the author 'ann'.\n",
  })
  expect(await inService(kinds)).toEqual(['erased', 'create', 'erased'])
  const counts = `console.log(JSON.stringify([await router.erase(Author, 'bob'), await router.erase(Author, 'bob')]))`
  expect(await inService(counts)).toEqual([1, 0])
})

it('refuses models that need other tables than the service has', async () => {
  expect(await resourcery('erase', newer, 'author', 'ann')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('This command changes no tables'),
  })
})

it('refuses a model that no router has', async () => {
  expect(await resourcery('erase', service, 'autor', 'ann')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("No router has the model 'autor'. Did you mean 'author'?"),
  })
  expect(await resourcery('erase', service, 'author')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Missing argument; expected an id.'),
  })
})

it('resourcery rename-log ends all positions', async () => {
  const end = await inService('console.log(JSON.stringify(await store.changes.end()))')
  expect(await resourcery('rename-log', service)).toMatchObject({
    code: 0,
    stdout: 'The log of changes has a new name.\n',
  })
  const read = `console.log(JSON.stringify(await store.changes.read(${JSON.stringify(end)}, 1)))`
  expect(await inService(read)).toEqual({ kind: 'unknown' })
  expect(await resourcery('rename-log', unlogged)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Expected a router with the option 'changes'"),
  })
})
