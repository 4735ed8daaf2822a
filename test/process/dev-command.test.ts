import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { childrenOf } from '../support/child-processes.ts'
import { root, temporaryFolder } from '../support/documentation.ts'

const folder = temporaryFolder('dev')
afterAll(() => rmSync(folder, { recursive: true }))
const cli = join(root, 'dist/tools/cli/resourcery.js')
let folders = 0

/** A folder of a developer, with an API whose title is in a module of its own. */
function project(extension: string): { path: string; save(name: string, text: string): void } {
  const path = join(folder, `${++folders}`)
  mkdirSync(path)
  const save = (name: string, text: string) => writeFileSync(join(path, name), text)
  save(`title.${extension}`, titled('One'))
  save(`api.${extension}`, apiSource(extension))
  return { path, save }
}

/** An API that responds to lists after a second. */
const apiSource = (extension: string) => `import { createRouter, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { title } from './title.${extension}'
export const router = createRouter({
  policy: rest(), basePath: '/api', store: memory(), docsPage: true, info: { title, version: '1' },
})
router.prepare(model('book', {})).use({
  request: {
    getList: async () => {
      console.log('The list is asked for.')
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    },
  },
})
`

const titled = (title: string) => `export const title = '${title}'\n`

async function develop(path: string, file: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [cli, 'dev', join(path, file), '--port=0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: path,
    env: { ...process.env, NODE_OPTIONS: '', PORT: '' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text
    })
  const exit = once(child, 'exit').then(([code]) => code as number | null)
  /** Waits until the text has been printed, and forgets what stands before it. */
  const printed = async (text: string | RegExp) => {
    const match = await vi.waitFor(() => {
      const found = new RegExp(text).exec(output)
      if (!found) throw new Error(`Expected ${text} in:\n${output}`)
      return found
    }, 40_000)
    output = output.slice(match.index + match[0].length)
    return match
  }
  const address = async () => (await printed(/Listens at (\S+)/))[1]!
  return { child, exit, printed, address, outputNow: () => output }
}

/** On a connection of its own: one that is kept alive stays with the version that it began with. */
async function titleAt(address: string): Promise<string> {
  const headers = { connection: 'close' }
  const response = await fetch(`${address}/api/openapi.json`, { headers })
  return ((await response.json()) as { info: { title: string } }).info.title
}

test('prints routes, pages and requests, and serves what was saved', async () => {
  const { path, save } = project('mjs')
  const { child, exit, printed, address } = await develop(path, 'api.mjs')
  await printed(/GET {4}\/api\/books +GetList\n/)
  const at = await address()
  await printed(`Page for browsers: ${at}/api/docs`)
  expect(await titleAt(at)).toBe('One')
  await printed(/\d\d:\d\d:\d\d {2}200 {2}GET {2}\/api\/openapi\.json {2}[\d.]+ ms\n/)

  save('title.mjs', titled('Two'))
  await printed(/Restarted in \d+ ms: title\.mjs changed\.\n/)
  expect(await titleAt(at)).toBe('Two')

  child.kill('SIGINT')
  expect(await exit).toBe(0)
}, 60_000)

test('lets a request under way finish, and names routes that have changed', async () => {
  const { path, save } = project('mjs')
  const { printed, address, outputNow } = await develop(path, 'api.mjs')
  const at = await address()
  const list = fetch(`${at}/api/books`)
  await printed('The list is asked for.')
  save(
    'more.mjs',
    "import { model } from 'resourcery'\nexport const Author = model('author', {})\n",
  )
  save(
    'api.mjs',
    `${apiSource('mjs')}import { Author } from './more.mjs'\nrouter.prepare(Author)\n`,
  )
  await printed(/Restarted in \d+ ms: api\.mjs changed\.\n/)
  await printed(/ {2}\+ GET {4}\/api\/authors +GetList\n/)
  expect(outputNow()).not.toMatch(/[+-] [A-Z]+ +\/api\/books/)
  expect(await list).toMatchObject({ status: 200 })
}, 60_000)

test('prints what does not compile or throws, and goes on with the previous version', async () => {
  const { path, save } = project('mjs')
  const { printed, address, child } = await develop(path, 'api.mjs')
  const at = await address()
  save('title.mjs', 'export const title = ;\n')
  await printed(/api\.mjs does not run:\n\nfile:.*title\.mjs:1\nexport const title = ;\n +\^\n/)
  await printed("Unexpected token ';'")
  await printed('The previous version is still running. Waiting for a change of its files.')
  expect(await titleAt(at)).toBe('One')

  save('title.mjs', 'export const title = null.length\n')
  await printed(
    /TypeError: Cannot read .*\n +at file:.*title\.mjs:1:\d+\n\nThe previous version is still running/,
  )

  save('title.mjs', titled('Three'))
  await printed('title.mjs changed.')
  expect(await titleAt(at)).toBe('Three')
  expect(childrenOf(child.pid!).filter(({ isZombie }) => isZombie)).toEqual([])
}, 60_000)

test('starts once a first version runs, and notices files that were missing', async () => {
  const { path, save } = project('mjs')
  unlinkSync(join(path, 'title.mjs'))
  const { printed, address } = await develop(path, 'api.mjs')
  await printed(/Cannot find module '.*title\.mjs'/)
  await printed('Waiting for a change of its files.\n')
  save('title.mjs', titled('Found'))
  expect(await titleAt(await address())).toBe('Found')
}, 60_000)

test('makes one version of many saves, and of a file that an editor deletes and writes', async () => {
  const { path, save } = project('mjs')
  const { printed, address, outputNow } = await develop(path, 'api.mjs')
  const at = await address()
  unlinkSync(join(path, 'title.mjs'))
  await new Promise((resolve) => setTimeout(resolve, 30))
  save('title.mjs', titled('Written'))
  await printed('title.mjs changed.')
  expect(await titleAt(at)).toBe('Written')
  for (let count = 1; count <= 50; count++) save('title.mjs', titled(`Save ${count}`))
  await vi.waitFor(async () => expect(await titleAt(at)).toBe('Save 50'), 40_000)
  // More than one only where the machine takes longer than 20 ms for a save.
  expect((outputNow().match(/Restarted/g) ?? []).length).toBeLessThan(10)
  await printed(/(?:Restarted[\s\S]*)?title\.mjs changed\./)
  // The same content again is no change.
  save('title.mjs', titled('Save 50'))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(outputNow()).not.toContain('Restarted')
}, 60_000)

test('is 503 once the service has ended by itself, until a file changes', async () => {
  const { path, save } = project('mjs')
  const { printed, address } = await develop(path, 'api.mjs')
  const at = await address()
  save('title.mjs', `${titled('Ends')}setTimeout(() => process.exit(7), 300)\n`)
  await printed('The service has ended (7).'.replaceAll(/[().]/g, '\\$&'))
  const response = await fetch(at)
  expect([response.status, await response.text()]).toEqual([
    503,
    "The service does not run. The terminal of 'resourcery dev' says why.\n",
  ])
  save('title.mjs', titled('Again'))
  await printed('title.mjs changed.')
  expect(await titleAt(at)).toBe('Again')
}, 60_000)

test('says that the port is used by another program', async () => {
  const { path } = project('mjs')
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { printed, exit } = await develop(path, 'api.mjs', `--port=${port}`)
  await printed(`Another program listens on port ${port}. End it, or choose another port: --port=`)
  expect(await exit).toBe(2)
}, 60_000)

test('serves TypeScript with the tsx of the project, and prints where it does not compile', async () => {
  const { path, save } = project('ts')
  const { printed, address } = await develop(path, 'api.ts')
  const at = await address()
  save('title.ts', 'export enum Title { Typed }\nexport const title: string = Title[0]!\n')
  await printed('title.ts changed.')
  expect(await titleAt(at)).toBe('Typed')
  save('title.ts', 'export const title: string = ;\n')
  await printed(/api\.ts does not run:\n\n.*\n.*title\.ts:1:29: ERROR: Unexpected ";"/)
  await printed('Waiting for a change')
}, 60_000)

const books = {
  authors: [{ id: 7, name: 'Jane Austen' }],
  books: [{ id: 1, title: 'Emma', authorId: 7 }],
}

test('serves the data of a JSON file, and says where it is wrong', async () => {
  const { path, save } = project('mjs')
  save('data.json', JSON.stringify(books))
  const { printed, address } = await develop(path, 'data.json')
  await printed("/books: 'authorId' becomes 'author'.")
  const at = await address()
  await printed(`Page for browsers: ${at}/docs`)
  const list = async () => (await fetch(`${at}/books`, { headers: { connection: 'close' } })).json()
  expect(await list()).toEqual({ books: [{ id: '1', title: 'Emma', author: '7' }] })

  save('data.json', JSON.stringify({ ...books, books: [{ id: 1 }, 'x'] }))
  await printed('/books/1: expected an object; got a string.')
  await printed('The previous version is still running.')

  save('data.json', JSON.stringify({ ...books, books: [] }))
  await printed('data.json changed.')
  expect(await list()).toEqual({ books: [] })
}, 60_000)

test('keeps the items of a JSON file in an SQLite file', async () => {
  const { path, save } = project('mjs')
  save('data.json', JSON.stringify(books))
  const database = `--database=${join(path, 'books.db')}`
  const { printed, address } = await develop(path, 'data.json', database)
  const at = await address()
  const response = await fetch(`${at}/books/1`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: '{"book": {"title": "Persuasion"}}',
  })
  expect(response.status).toBe(200)
  save('data.json', JSON.stringify({ ...books, authors: [...books.authors, { id: 8, name: 'B' }] }))
  await printed('data.json changed.')
  const item = await fetch(`${at}/books/1`, { headers: { connection: 'close' } })
  expect(await item.json()).toMatchObject({ book: { title: 'Persuasion' } })
}, 60_000)

test('writes the models of a JSON file as code that serves the same', async () => {
  const { path, save } = project('mjs')
  save('data.json', JSON.stringify(books))
  const ejecting = await develop(path, 'data.json', `--eject=${join(path, 'books.mjs')}`)
  expect(await ejecting.exit).toBe(0)
  expect(
    readFileSync(join(path, 'books.mjs'), 'utf8'),
  ).toBe(`import { fileURLToPath } from 'node:url'
import { createRouter, model, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'

export const Author = model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
})

export const Book = model('book', {
  title: z.string(),
  author: toOne('author'),
})

export const router = createRouter({
  policy: rest(),
  store: sqlite(fileURLToPath(new URL('books.db', import.meta.url))),
  docsPage: true,
  startPage: true,
  info: { title: 'data', version: '1' },
})
router.prepare(Author)
router.prepare(Book)
`)
  const again = await develop(path, 'data.json', `--eject=${join(path, 'books.mjs')}`)
  await again.printed(/books\.mjs' exists already\. Remove it, or choose another name\./)
  expect(await again.exit).toBe(2)

  const { address } = await develop(path, 'books.mjs')
  const list = await fetch(`${await address()}/books?include=author`)
  expect(await list.json()).toEqual({
    books: [{ id: '1', title: 'Emma', author: '7' }],
    authors: [{ id: '7', name: 'Jane Austen' }],
  })
}, 60_000)

test('leaves no process behind where it is killed, also while they start', async () => {
  const { path } = project('mjs')
  const processes = new Set<number>()
  for (const delayMs of [150, 400, 900]) {
    const { child, exit } = await develop(path, 'api.mjs')
    await vi.waitFor(() => expect(childrenOf(child.pid!)).not.toEqual([]), 40_000)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    for (const { pid } of childrenOf(child.pid!)) processes.add(pid)
    child.kill('SIGKILL')
    await exit
  }
  expect(processes.size).toBeGreaterThanOrEqual(3)
  await vi.waitFor(() => expect([...processes].filter(isRunning)).toEqual([]), 40_000)
}, 120_000)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
