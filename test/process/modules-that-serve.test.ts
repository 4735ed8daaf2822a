import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { root, temporaryFolder } from '../support/documentation.ts'

const folder = temporaryFolder('serving')
afterAll(() => rmSync(folder, { recursive: true }))
const data = join(folder, 'data.db')

/** A module that exports a router, and goes on as the text says. */
function moduleWith(name: string, rest: string): string {
  const file = join(folder, name)
  writeFileSync(
    file,
    `import { createServer } from 'node:http'
import { once } from 'node:events'
import { createRouter, model } from 'resourcery'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
const Book = model('book', {})
export const router = createRouter({ policy: rest(), store: sqlite(${JSON.stringify(data)}) })
router.prepare(Book)
${rest}
`,
  )
  return file
}

function run(command: string, file: string): { status: number | null; output: string } {
  const [name, ...options] = command.split(' ')
  const cli = join(root, 'dist/tools/cli/resourcery.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, name!, file, ...options], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { status, output: `${stdout}${stderr}` }
}

const notServing = 'Export the router from a module that does not serve it.\n'

it.each(['plan', 'consumers', 'prune', 'jobs', 'jobs --run daily', 'rename-log'])(
  'resourcery %s refuses a module that serves, before anything is opened',
  (command) => {
    const file = moduleWith(
      'server.mjs',
      'await serve(router, { port: 0 })\nconsole.log("listens")',
    )
    expect(run(command, file)).toEqual({
      status: 2,
      output: `${file} opens its router when it is imported, as 'serve' does; this command has stopped it. ${notServing}`,
    })
    expect(existsSync(data)).toBe(false)
  },
)

it.each([
  ['serves without waiting', 'void serve(router, { port: 0 })'],
  ['handles the error of serve', 'await serve(router, { port: 0 }).catch(() => undefined)'],
  ['handles a request', "await router.handle(new Request('http://localhost/books'))"],
  ['writes an item', "await router.items(Book).create({ id: 'a' })"],
])('resourcery plan refuses a module that %s', (_, rest) => {
  const { status, output } = run('plan', moduleWith('opening.mjs', rest))
  expect({ status, output }).toEqual({ status: 2, output: expect.stringContaining(notServing) })
  expect(existsSync(data)).toBe(false)
})

it('says that a module listens on a port that another process has', () => {
  const file = moduleWith(
    'busy.mjs',
    `const first = createServer().listen(0)
await once(first, 'listening')
await once(createServer().listen(first.address().port), 'listening')`,
  )
  const { status, output } = run('plan', file)
  expect({ status, output }).toEqual({
    status: 2,
    output: expect.stringMatching(
      /^.*busy\.mjs listens when it is imported: listen EADDRINUSE.*\. Export/,
    ),
  })
})

it('resourcery plan ends with a module that does not serve', () => {
  expect(run('plan', moduleWith('router.mjs', 'setInterval(() => undefined, 1000)'))).toEqual({
    status: 0,
    output: `instant: Create the file '${data}' and its tables.\n`,
  })
})
