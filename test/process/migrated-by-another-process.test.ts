import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'rolling-'))
const children: ChildProcess[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A service over the file whose people have a salary, visible or hidden. */
const program = (file: string, fields: string) => `
import { createRouter, field, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { serve } from 'resourcery/node'
import { z } from 'zod'
const reported = new Set()
const onError = (error) => {
  if (!reported.has(error.message)) console.log('reported: ' + error.message)
  reported.add(error.message)
}
const router = createRouter({ policy: rest(), store: sqlite(${JSON.stringify(file)}), onError })
router.prepare(model('person', ${fields}, { plural: 'people' }))
const { port } = await serve(router, { port: 0 })
await router.open()
console.log('listening on ' + port)
`

interface Running {
  readonly child: ChildProcess
  output(): string
  call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; headers: Headers; text: string }>
}

async function start(file: string, fields: string): Promise<Running> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(file, fields)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let output = ''
  const port = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const match = /listening on (\d+)/.exec(output)
      if (match) resolve(match[1]!)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}:\n${output}`)))
  })
  return {
    child,
    output: () => output,
    async call(method, path, body) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
  }
}

const visible = '{ name: z.string(), salary: z.number().optional() }'
const hidden = '{ name: z.string(), salary: field(z.number().optional(), { hidden: true }) }'

it('A process with an older model neither writes nor reads items once another process has migrated them', async () => {
  const file = join(folder, 'deployment.db')
  const older = await start(file, visible)
  const person = { person: { id: 'p-1', name: 'Ann', salary: 5 } }
  expect((await older.call('POST', '/people', person)).status).toBe(201)
  expect((await older.call('GET', '/people/p-1')).text).toContain('salary')

  // While the new process starts, the older one gets writes without a pause.
  let isUp = false
  const acknowledged: string[] = []
  const writing = (async () => {
    for (let index = 0; !isUp; index++) {
      const id = `w-${index}`
      const { status } = await older.call('POST', '/people', {
        person: { id, name: 'Bob', salary: index },
      })
      if (status === 201) acknowledged.push(id)
      else expect(status).toBe(503)
    }
  })()
  const newer = await start(file, hidden)
  isUp = true
  await writing
  expect(acknowledged.length).toBeGreaterThan(0)

  // The first write after the migration is refused.
  for (const [method, path, body] of [
    ['POST', '/people', { person: { id: 'late', name: 'Cid', salary: 1 } }],
    ['PATCH', '/people/p-1', { person: { name: 'Anna' } }],
    ['PUT', '/people/p-1', { person: { name: 'Anna' } }],
    ['DELETE', '/people/p-1', undefined],
  ] as const) {
    const { status, headers, text } = await older.call(method, path, body)
    expect(
      [status, headers.get('retry-after'), text.includes('store-unavailable')],
      method,
    ).toEqual([503, '5', true])
  }
  const reads = async () => [
    (await older.call('GET', '/people/p-1')).status,
    (await older.call('GET', '/people')).status,
  ]
  await expect.poll(reads).toEqual([503, 503])
  expect(older.output()).toContain(
    "reported: Another process has migrated the 'people' in the SQLite file",
  )

  // Every acknowledged write is stored, and no response shows the hidden member.
  const list = await newer.call('GET', '/people')
  expect(list.text).not.toContain('salary')
  for (const id of ['p-1', ...acknowledged]) expect(list.text).toContain(`"${id}"`)
  expect(list.text).not.toContain('late')
  expect((await newer.call('PATCH', '/people/p-1', { person: { name: 'Anna' } })).status).toBe(200)

  // Hidden values are not lost: a process that shows the member again finds them.
  newer.child.kill('SIGTERM')
  await once(newer.child, 'exit')
  const again = await start(file, visible)
  expect(JSON.parse((await again.call('GET', '/people/p-1')).text).person).toEqual({
    id: 'p-1',
    name: 'Anna',
    salary: 5,
  })
  // When the file matches its models again, the first process continues.
  expect((await older.call('PATCH', '/people/p-1', { person: { salary: 6 } })).status).toBe(200)
}, 60_000)

it('Processes with the same models write into one file and read it', async () => {
  const file = join(folder, 'shared.db')
  const one = await start(file, visible)
  const other = await start(file, visible)
  for (let index = 0; index < 20; index++) {
    const person = { person: { id: `p-${index}`, name: 'Ann' } }
    expect((await (index % 2 ? one : other).call('POST', '/people', person)).status).toBe(201)
    expect((await (index % 2 ? other : one).call('GET', `/people/p-${index}`)).status).toBe(200)
  }
}, 60_000)
