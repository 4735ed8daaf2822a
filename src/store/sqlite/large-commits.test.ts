import { stat } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { connection } from './connection.ts'
import { autoCheckpointPages, maxWalBytes, walSizeLimitPragma } from './connection-settings.ts'
import { loadDriver } from './driver.ts'
import { groupCommit } from './group-commit.ts'
import { type LargeCommits, largeCommits } from './large-commits.ts'

async function setUp(
  large: (file: string, driver: string, writer: ReturnType<typeof connection>) => LargeCommits,
) {
  const driver = await loadDriver()
  const file = temporaryFile()
  const writer = connection(driver.open(file, { readOnly: false }))
  onTestFinished(() => writer.close())
  writer.exec('pragma journal_mode = wal')
  writer.exec('create table t (n integer primary key, text text)')
  const commits = groupCommit(writer, { large: large(file, driver.specifier, writer) })
  const rows = (count: number, milliseconds: number) =>
    commits.run(async () => {
      const until = performance.now() + milliseconds
      for (let n = 0; n < count || performance.now() < until; n++)
        writer
          .prepare('insert or replace into t (n, text) values (?, ?)')
          .run([n, 'x'.repeat(1_000)])
    })
  return { file, writer, commits, rows }
}

test('only the commit of a long transaction is prepared', async () => {
  const done: string[] = []
  const { rows } = await setUp(() => ({
    beforeBegin: async () => undefined,
    prepare: async () => void done.push('prepare'),
    finish: () => void done.push('finish'),
    flush: async () => void done.push('flush'),
    idle: async () => undefined,
  }))
  await rows(1, 0)
  expect(done).toEqual([])
  await rows(1, 60)
  expect(done).toEqual(['prepare', 'finish'])
})

test('the commit of a batch is not prepared, however long it took', async () => {
  const { commits, writer } = await setUp(() => ({
    beforeBegin: async () => undefined,
    prepare: () => expect.fail('was prepared'),
    finish: () => expect.fail('was prepared'),
    flush: () => expect.fail('was prepared'),
    idle: async () => undefined,
  }))
  await commits.runBatch(async () => {
    const until = performance.now() + 60
    while (performance.now() < until) writer.prepare('insert into t (text) values (?)').run(['x'])
  })
  expect(writer.prepare('select count(*) from t').get([])![0]).toBeGreaterThan(0)
})

test('a long transaction is rolled back as a whole, and what it left in the WAL is synced', async () => {
  const done: string[] = []
  const { commits, writer } = await setUp(() => ({
    beforeBegin: async () => undefined,
    prepare: async () => void done.push('prepare'),
    finish: () => void done.push('finish'),
    flush: async () => void done.push('flush'),
    idle: async () => undefined,
  }))
  const failing = commits.run(async () => {
    const until = performance.now() + 60
    while (performance.now() < until) writer.prepare('insert into t (text) values (?)').run(['x'])
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(done).toEqual(['flush'])
  expect(writer.prepare('select count(*) from t').get([])).toEqual([0])
})

test('another thread copies the WAL into the database, and SQLite does so again afterwards', async () => {
  const { file, writer, commits, rows } = await setUp(largeCommits)
  await rows(5_000, 60)
  await commits.idle()
  expect((await stat(file)).size).toBeGreaterThan(5_000_000)
  expect(writer.prepare('pragma wal_autocheckpoint').get([])).toEqual([autoCheckpointPages])
  expect(writer.prepare('select count(*) from t').get([])![0]).toBeGreaterThanOrEqual(5_000)
})

test('a checkpoint that ends while a commit is prepared leaves the WAL to the next one', async () => {
  const driver = await loadDriver()
  const file = temporaryFile()
  const writer = connection(driver.open(file, { readOnly: false }))
  onTestFinished(() => writer.close())
  writer.exec('pragma journal_mode = wal')
  const commits = largeCommits(file, driver.specifier, writer)
  const autoCheckpoint = () => writer.prepare('pragma wal_autocheckpoint').get([])
  commits.finish()
  await commits.prepare()
  await commits.idle()
  expect(autoCheckpoint()).toEqual([0])
  commits.finish()
  await commits.idle()
  expect(autoCheckpoint()).toEqual([autoCheckpointPages])
})

test('the WAL stays bounded while large transactions follow one another', async () => {
  const { file, writer, rows } = await setUp(largeCommits)
  writer.exec(`pragma ${walSizeLimitPragma}`)
  let largest = 0
  await Promise.all(
    Array.from({ length: 24 }, async () => {
      await rows(8_000, 60)
      largest = Math.max(largest, (await stat(`${file}-wal`)).size)
    }),
  )
  // Each of them writes about 10 MB.
  expect(largest).toBeGreaterThan(maxWalBytes / 2)
  expect(largest).toBeLessThan(maxWalBytes * 2)
})

test('SQLite copies the WAL where no thread can be started', async () => {
  const driver = await loadDriver()
  const writer = connection(driver.open(temporaryFile(), { readOnly: false }))
  onTestFinished(() => writer.close())
  writer.exec('pragma wal_autocheckpoint = 0')
  // No worker can be given this, so that making one throws.
  const commits = largeCommits(Symbol('no file') as unknown as string, driver.specifier, writer)
  for (let time = 0; time < 2; time++) {
    commits.finish()
    await commits.idle()
    expect(writer.prepare('pragma wal_autocheckpoint').get([])).toEqual([autoCheckpointPages])
    writer.exec('pragma wal_autocheckpoint = 0')
  }
})
