import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { connection } from './connection.ts'
import { loadDriver } from './driver.ts'
import { groupCommit } from './group-commit.ts'

async function setUp() {
  const executed: string[] = []
  const driver = await loadDriver()
  const file = temporaryFile()
  const open = () => {
    const made = connection(driver.open(file, { readOnly: false }))
    onTestFinished(() => made.close())
    return made
  }
  const writer = open()
  writer.exec('pragma journal_mode = wal')
  writer.exec('create table t (n integer primary key, text text)')
  const prepared = (sql: string) => {
    executed.push(sql)
    return writer.prepare(sql)
  }
  const commits = groupCommit({
    ...writer,
    prepare: prepared,
    get isInTransaction() {
      return writer.isInTransaction
    },
  })
  const add = (n: number, text = '') =>
    commits.run(async () => writer.prepare('insert into t (n, text) values (?, ?)').run([n, text]))
  const other = open()
  const held = () => other.prepare('select n from t order by n').all([]).flat()
  return { writer, commits, add, other, held, executed }
}

test('transactions of one turn of the event loop share a commit', async () => {
  const { add, held } = await setUp()
  const first = [add(1), add(2)]
  await Promise.race(first)
  expect(held()).toEqual([1, 2])
  await Promise.all([...first, add(3)])
  expect(held()).toEqual([1, 2, 3])
})

test('each commit publishes how many transactions share it, and how long it had the lock', async () => {
  const { add, commits } = await setUp()
  const messages: unknown[] = []
  const listener = (message: unknown) => messages.push(message)
  subscribe('resourcery:sqlite:commit', listener)
  onTestFinished(() => void unsubscribe('resourcery:sqlite:commit', listener))
  await Promise.all([add(1), add(2)])
  await commits.run(() => new Promise((resolve) => setTimeout(resolve, 20)))
  expect(messages).toEqual([
    { transactions: 2, lockMs: expect.any(Number) },
    { transactions: 1, lockMs: expect.any(Number) },
  ])
  const [, { lockMs }] = messages as [unknown, { lockMs: number }]
  expect(lockMs).toBeGreaterThan(18)
})

test('what is queued while a group runs waits for its commit', async () => {
  const { writer, commits, held } = await setUp()
  let second: Promise<void> | undefined
  const first = commits.run(async () => {
    second = commits.run(async () => {
      await first
      expect(held()).toEqual([1])
    })
    writer.prepare('insert into t (n) values (1)').run([])
  })
  await first
  await second
  expect(held()).toEqual([1])
})

test('a failing transaction is rolled back alone', async () => {
  const { add, commits, held } = await setUp()
  const failing = async () => {
    await add.length
    throw new Error('no')
  }
  const works = [add(1), commits.run(failing), add(2), add(1), add(3)]
  const states = (await Promise.allSettled(works)).map((one) => one.status)
  expect(states).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
  expect(held()).toEqual([1, 2, 3])
})

test('the first transaction of a group is rolled back as a whole, without a savepoint', async () => {
  const { add, commits, executed, held } = await setUp()
  const failing = commits.run(async () => {
    await add.length
    throw new Error('no')
  })
  await Promise.allSettled([failing, add(1)])
  expect(executed).toEqual(['begin immediate', 'rollback', 'begin immediate', 'commit'])
  expect(held()).toEqual([1])
})

test('work that may change many items begins a group, so that it can be rolled back at once', async () => {
  const { add, commits, executed, held } = await setUp()
  const { signal } = new AbortController()
  const failing = () =>
    commits.run(() => Promise.reject(new Error('no')), { signal, mayChangeMany: true })
  await Promise.allSettled([add(1), failing(), add(2)])
  const begun = [
    'begin immediate',
    'commit',
    'begin immediate',
    'rollback',
    'begin immediate',
    'commit',
  ]
  expect(executed).toEqual(begun)
  expect(held()).toEqual([1, 2])
})

test('any number of transactions runs in groups', async () => {
  const { add, commits, held } = await setUp()
  void Array.from({ length: 900 }, (_, n) => add(n))
  await commits.idle()
  expect(held()).toHaveLength(900)
})

test('waiting for another writer does not block the event loop', async () => {
  const { add, other, held } = await setUp()
  other.exec('begin immediate')
  const adding = add(1)
  let turns = 0
  const timer = setInterval(() => turns++, 5)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(turns).toBeGreaterThan(2)
  clearInterval(timer)
  other.exec('commit')
  await adding
  expect(held()).toEqual([1])
})

test('transactions fail completely while the disk is full, and succeed once there is space', async () => {
  const { writer, add, held } = await setUp()
  await add(0)
  const pages = writer.prepare('pragma page_count').get([])![0] as number
  writer.exec(`pragma max_page_count = ${pages + 4}`)
  const big = 'x'.repeat(8_000)
  const settled = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => add(n + 1, big)))
  const failed = settled.filter((one) => one.status === 'rejected')
  expect(failed.length).toBeGreaterThan(0)
  for (const one of failed) expect(one.reason).toBeInstanceOf(StoreUnavailable)
  const kept = settled.flatMap((one, n) => (one.status === 'fulfilled' ? [n + 1] : []))
  expect(held()).toEqual([0, ...kept])
  writer.exec('pragma max_page_count = 100000')
  await add(100, big)
  expect(held()).toEqual([0, ...kept, 100])
})

test.each(['run', 'runUndoable'] as const)(
  'SQLite rolling back a transaction by itself rejects what shares its commit, with %s',
  async (run) => {
    const { writer, commits, held } = await setUp()
    writer.exec(
      `create trigger "full" before insert on t when new.n = 0 begin select raise(rollback, 'full'); end`,
    )
    const insert = (...numbers: readonly number[]) =>
      commits[run](async () => {
        for (const n of numbers) writer.prepare('insert into t (n) values (?)').run([n])
      })
    const ignoreError = () =>
      commits[run](async () => {
        expect(() => writer.prepare('insert into t (n) values (0)').run([])).toThrow('full')
      })
    const statesOf = async (...works: Promise<unknown>[]) =>
      (await Promise.allSettled(works)).map(({ status }) => status)
    expect(await statesOf(ignoreError(), insert(1, 2))).toEqual(['rejected', 'fulfilled'])
    expect(held()).toEqual([1, 2])
    expect(await statesOf(insert(3), ignoreError(), insert(4, 5))).toEqual([
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(held()).toEqual([1, 2, 4, 5])
  },
)
