import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { newDatabase } from '../support/postgres/shared-server.ts'

/** CHANGES=1000000 for the long form. */
const wantedChanges = Number(process.env.CHANGES ?? 6_000)
const processes = 4
const writersPerProcess = 4
/** Transactions of the long form have more changes, because most time is spent in waiting. */
const maxOwnChanges = wantedChanges > 100_000 ? 60 : 10
const sharedCounters = 20

const shared = (open: string) => `
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { model } from 'resourcery'
import { createStoredItem, describeModels, idEquals, StoreUnavailable } from 'resourcery/store'
import { postgres } from 'resourcery/postgres'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'
const [counter] = describeModels([model('counter', { value: z.number() })])
const store = ${open}
await store.open([counter], { keepsChanges: true })
`

/**
 * Each transaction of a writer counts one counter on that all writers share, and items of its own,
 * which are in the log only. It stays open for a random time, and one in ten is rolled back. The
 * caller of each change says which transaction it is of, and how many changes that has.
 */
const writer = (open: string, name: string, changes: number, maxHoldMs: number) => `${shared(open)}
const itemOf = (id, value) => createStoredItem(counter, { id, value }, value)
const any = (count) => Math.floor(Math.random() * count)
const revisions = {}
let committed = 0, rolledBack = 0, number = 0
async function write(writer) {
  const own = {}
  const ids = Array.from({ length: 1 + any(${maxOwnChanges}) }, () => '${name}-' + writer + '-' + any(5))
  const caller = '${name} ' + writer + ' ' + ++number + ' ' + (ids.length + 1)
  const fails = Math.random() < 0.1
  try {
    await store.write(async (transaction) => {
      for (const id of ids) delete own[id]
      const id = 'shared-' + any(${sharedCounters})
      const before = await transaction.find(counter, idEquals(id))
      const value = before === undefined ? 1 : JSON.parse(before.text).value + 1
      const item = itemOf(id, value)
      if (before) await transaction.replace(counter, item)
      else if ((await transaction.insert(counter, item)).kind !== 'written') throw new Error('exists')
      const change = (item) => ({ kind: 'update', model: 'counter', id: item.id, timeMs: 0, caller, before: null, after: item })
      const changes = [change(item)]
      for (const each of ids) {
        own[each] = (own[each] ?? revisions[each] ?? 0) + 1
        changes.push(change(itemOf(each, own[each])))
      }
      await transaction.changes.add(changes)
      await wait(Math.random() < 0.02 ? 10 * ${maxHoldMs} : any(${maxHoldMs} + 1))
      if (fails) throw new Error('rolled back')
    })
  } catch (error) {
    if (!fails && error.message !== 'exists' && !(error instanceof StoreUnavailable)) throw error
    rolledBack++
    return
  }
  Object.assign(revisions, own)
  committed += ids.length + 1
}
await Promise.all(Array.from({ length: ${writersPerProcess} }, async (_, writer) => {
  while (committed < ${changes}) await write(writer)
}))
console.log(JSON.stringify({ committed, rolledBack }))
await store.close()
`

/** Reads on whenever it is called, and prints each page with the position after it, as one line. */
const reader = (open: string, after: string | undefined) => `${shared(open)}
let after = ${JSON.stringify(after)}
let isReading = false, isCalled = false
async function readOn() {
  isCalled = true
  if (isReading) return
  isReading = true
  while (isCalled) {
    isCalled = false
    const read = await store.changes.read(after, 500)
    if (read.kind !== 'changes') throw new Error(read.kind)
    after = read.next
    const entries = read.entries.map(({ id, caller, transaction, after }) => [id, after.revision, transaction, caller])
    if (entries.length > 0) console.log(JSON.stringify({ next: after, entries }))
    if (!read.isEnd) isCalled = true
  }
  isReading = false
}
store.changes.watch(readOn)
await readOn()
setInterval(() => {}, 1_000)
`

type Entry = readonly [id: string, revision: number, transaction: string, caller: string]

/** Checks entries in the order in which they are read. */
class LogCheck {
  readonly #revisions = new Map<string, number>()
  readonly #faults: string[] = []
  #transaction: { readonly name: string; readonly caller: string; count: number } | undefined
  readonly #ended = new Set<string>()
  count = 0
  transactions = 0

  add([id, revision, transaction, caller]: Entry): void {
    this.count++
    const expected = (this.#revisions.get(id) ?? 0) + 1
    if (revision !== expected) this.#fault(`${id}: revision ${revision} instead of ${expected}`)
    this.#revisions.set(id, revision)
    if (this.#transaction?.name !== transaction) {
      this.end()
      if (this.#ended.has(transaction)) this.#fault(`${transaction} is torn apart`)
      this.#transaction = { name: transaction, caller, count: 0 }
    }
    if (this.#transaction.caller !== caller) this.#fault(`${transaction}: changes of two writers`)
    this.#transaction.count++
  }

  /** The transaction is over. */
  end(): void {
    if (!this.#transaction) return
    const { name, caller, count } = this.#transaction
    if (count !== Number(caller.split(' ')[3]))
      this.#fault(`${name}: ${count} changes of ${caller}`)
    this.#ended.add(name)
    this.transactions++
    this.#transaction = undefined
  }

  #fault(text: string): void {
    if (this.#faults.length < 10) this.#faults.push(text)
  }

  get faults(): readonly string[] {
    return this.#faults
  }
}

function run(program: string): ChildProcess {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** A reader that is killed at random moments, and goes on from the last page that it printed. */
async function readAll(open: string, check: LogCheck, isComplete: () => boolean): Promise<number> {
  let after: string | undefined
  let kills = -1
  while (!isComplete()) {
    const child = run(reader(open, after))
    kills++
    const killAtMs = performance.now() + 1_500 + Math.random() * 4_000
    let isKilled = false
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const page = parsed(line)
      // A line that the end of the process has cut.
      if (!page) return
      after = page.next
      for (const entry of page.entries) check.add(entry)
    })
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const hasEnded = closed.then(() => {
      if (!isKilled) throw new Error('The reader has ended by itself.')
    })
    while (performance.now() < killAtMs && !isComplete()) await Promise.race([wait(20), hasEnded])
    // Another change would be one too many.
    if (isComplete()) await wait(300)
    isKilled = true
    child.kill('SIGKILL')
    await hasEnded
  }
  return kills
}

function parsed(
  line: string,
): { readonly next: string; readonly entries: readonly Entry[] } | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function write(open: string, maxHoldMs: number) {
  const share = Math.ceil(wantedChanges / processes)
  const results = Array.from({ length: processes }, async (_, index) => {
    const child = run(writer(open, `p${index}`, share, maxHoldMs))
    let output = ''
    child.stdout!.on('data', (chunk) => {
      output += chunk
    })
    await new Promise<void>((resolve) => child.once('close', () => resolve()))
    return JSON.parse(output) as { readonly committed: number; readonly rolledBack: number }
  })
  const all = await Promise.all(results)
  return {
    committed: all.reduce((sum, { committed }) => sum + committed, 0),
    rolledBack: all.reduce((sum, { rolledBack }) => sum + rolledBack, 0),
  }
}

/** @param maxHoldMs how long a transaction is open; one in fifty is ten times as long */
async function proveOrder(name: string, open: string, maxHoldMs: number): Promise<void> {
  const startedAt = performance.now()
  // Makes the tables, so that the processes do not wait for each other.
  const first = run(`${shared(open)}await store.close()`)
  await new Promise((resolve) => first.once('close', resolve))
  const check = new LogCheck()
  let written: Awaited<ReturnType<typeof write>> | undefined
  const isComplete = () => written !== undefined && check.count >= written.committed
  const [kills] = await Promise.all([
    readAll(open, check, isComplete),
    write(open, maxHoldMs).then((result) => {
      written = result
    }),
  ])
  check.end()
  const seconds = (performance.now() - startedAt) / 1_000
  console.log(
    `${name}: ${check.count} changes of ${check.transactions} transactions of ${processes * writersPerProcess} writers in ${processes} processes, ${written!.rolledBack} rolled back, ${kills} kills of the reader, ${Math.round(seconds)} s.`,
  )
  expect(check.faults).toEqual([])
  expect(check.count).toBe(written!.committed)
  expect(check.count).toBeGreaterThanOrEqual(wantedChanges)
}

const timeoutMs = 60_000 + wantedChanges * 20

describe('The log of changes', () => {
  for (const layout of ['documents', 'tables'] as const)
    it(
      `is in the order of commits in a file of ${layout}`,
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'order-'))
        onTestFinished(() => rmSync(folder, { recursive: true }))
        const file = JSON.stringify(join(folder, 'data.db'))
        const options = JSON.stringify({ layout, durability: 'normal' })
        await proveOrder(`SQLite, ${layout}`, `sqlite(${file}, ${options})`, 1)
      },
      timeoutMs,
    )
})

describePostgres('The log of changes', () => {
  it(
    'is in the order of commits in PostgreSQL',
    async () => {
      const database = await newDatabase()
      onTestFinished(() => database.drop())
      await proveOrder('PostgreSQL', `postgres(${JSON.stringify(database.url)})`, 20)
    },
    timeoutMs,
  )
})
