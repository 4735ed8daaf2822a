import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { newDatabase } from '../support/postgres/shared-server.ts'

/** REPEATED=10000 for the long form. */
const requests = Number(process.env.REPEATED ?? 150)
const processes = 2
const sendersAtOnce = 24
const counters = 8
const folder = mkdtempSync(join(tmpdir(), 'repeated-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A service whose actions count, and whose items have ids that the service makes. */
const program = (open: string) => `
import { action, createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { serve } from 'resourcery/node'
import { z } from 'zod'
${open}
class Counter extends model('counter', { value: z.number() }) {
  add() { this.value++ }
  async addLater() { await new Promise(setImmediate); this.value++ }
  static { action(this, 'add'); action(this, 'addLater') }
}
const router = createRouter({ policy: rest(), store, idempotency: true })
router.prepare(Counter)
router.prepare(model('entry', { ref: z.string() }))
const server = await serve(router, { port: 0 })
console.log('listening ' + server.address)
`

interface Service {
  readonly child: ChildProcess
  readonly address: string
}

async function start(open: string): Promise<Service> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(open)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const address = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      const [, url] = /listening (http:\/\/[^\s/]+)/.exec(output) ?? []
      if (url) resolve(url)
    })
    child.once('exit', () => reject(new Error(`The service has ended: ${output}`)))
  })
  return { child, address }
}

/** Processes over one database, of which one is killed at each random moment. */
class KilledServices {
  readonly #open: string
  #services: Service[] = []
  #isEnding = false
  kills = 0

  constructor(open: string) {
    this.#open = open
  }

  async start(): Promise<void> {
    // One after the other, because each may make the tables.
    for (let index = 0; index < processes; index++) this.#services.push(await start(this.#open))
  }

  get address(): string {
    return this.#services[Math.floor(Math.random() * this.#services.length)]!.address
  }

  async killUntilEnd(): Promise<void> {
    while (!this.#isEnding) {
      await wait(100 + Math.random() * 700)
      if (this.#isEnding) return
      const index = Math.floor(Math.random() * this.#services.length)
      const { child } = this.#services[index]!
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
      this.kills++
      this.#services[index] = await start(this.#open)
    }
  }

  async end(killing: Promise<void>): Promise<void> {
    this.#isEnding = true
    await killing
    for (const { child } of this.#services) {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    }
  }
}

interface Sent {
  readonly key: string
  readonly path: string
  readonly body: string | undefined
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly isReplayed: boolean
}

/** Sends it until a service responds, as a client with retries does. */
async function send(services: KilledServices, { key, path, body }: Sent): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(services.address + path, {
        method: 'POST',
        headers: {
          'idempotency-key': `"${key}"`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body }),
      })
      const text = await response.text()
      const isReplayed = response.headers.get('idempotency-replayed') === 'true'
      const { status } = response
      if (status !== 503 && status !== 409) return { status, text, isReplayed }
      if (attempt > 200) throw new Error(text)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
    }
    await wait(Math.random() * 50)
  }
}

function request(index: number): Sent {
  const counter = `/counters/c-${index % counters}`
  const kind = index % 3
  return {
    key: `key-${index}`,
    path: kind === 0 ? '/entries' : `${counter}/${kind === 1 ? 'add' : 'addLater'}`,
    body: kind === 0 ? JSON.stringify({ entry: { ref: `r-${index}` } }) : undefined,
  }
}

async function expectEachOnce(open: string): Promise<void> {
  const services = new KilledServices(open)
  await services.start()
  for (let index = 0; index < counters; index++)
    await fetch(`${services.address}/counters`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ counter: { id: `c-${index}`, value: 0 } }),
    })
  const killing = services.killUntilEnd()
  let next = 0
  let sent = 0
  let replayed = 0
  const sender = async () => {
    while (next < requests) {
      const one = request(next++)
      const copies = 1 + Math.floor(Math.random() * 4)
      const atOnce = 1 + Math.floor(Math.random() * copies)
      const answers = await Promise.all(Array.from({ length: atOnce }, () => send(services, one)))
      for (let copy = atOnce; copy < copies; copy++) answers.push(await send(services, one))
      sent += copies
      replayed += answers.filter(({ isReplayed }) => isReplayed).length
      const [{ status, text }] = answers as [Answer]
      expect([200, 201], text).toContain(status)
      for (const answer of answers) expect(answer).toMatchObject({ status, text })
    }
  }
  try {
    await Promise.all(Array.from({ length: sendersAtOnce }, sender))
    const list = async (path: string) => {
      for (;;)
        try {
          return await (await fetch(services.address + path)).json()
        } catch {
          await wait(50)
        }
    }
    const { entries } = (await list('/entries')) as { entries: readonly { ref: string }[] }
    const { counters: counted } = (await list('/counters')) as {
      counters: readonly { value: number }[]
    }
    const all = Array.from({ length: requests }, (_, index) => index)
    expect(entries.map(({ ref }) => ref).sort()).toEqual(
      all
        .filter((index) => index % 3 === 0)
        .map((index) => `r-${index}`)
        .sort(),
    )
    expect(counted.reduce((sum, { value }) => sum + value, 0)).toBe(
      all.filter((index) => index % 3 !== 0).length,
    )
  } finally {
    await services.end(killing)
  }
  expect(replayed).toBeGreaterThan(0)
  if (process.env.REPEATED)
    console.log(
      `${requests} requests, sent ${sent} times, with ${services.kills} kills: each done once, ${replayed} responses repeated`,
    )
}

const title = 'does each request once, however often it is sent, while processes are killed'
const timeout = 60_000 + requests * 100

describe('repeated requests over a SQLite file', () => {
  it.each(['documents', 'tables'])(
    `${title}, in the layout %s`,
    async (layout) => {
      const file = JSON.stringify(join(folder, `${layout}.db`))
      await expectEachOnce(
        `import { sqlite } from 'resourcery/sqlite'\nconst store = sqlite(${file}, { layout: '${layout}' })`,
      )
    },
    timeout,
  )
})

describePostgres('repeated requests over PostgreSQL', () => {
  it(
    title,
    async () => {
      const database = await newDatabase()
      const url = JSON.stringify(database.url)
      await expectEachOnce(
        `import { postgres } from 'resourcery/postgres'\nconst store = postgres(${url})`,
      )
      await database.drop()
    },
    timeout,
  )
})
