import { describe, expect, it } from 'vitest'
import { interruptCheckFunction, sqliteDialect } from './dialect.ts'
import { loadDriver } from './driver.ts'

const rowCount = 20_000
const order = { number: 'integer primary key', text: 'text primary key not null' } as const

/** The keys that a scan in ranges reads, and how often it can be aborted. */
async function scanned(kind: keyof typeof order, keys: readonly (string | number | bigint)[]) {
  const database = (await loadDriver()).open(':memory:', { readOnly: false })
  let checks = 0
  database.defineFunction(interruptCheckFunction, () => {
    checks++
    return 1
  })
  const options = kind === 'text' ? 'strict, without rowid' : 'strict'
  database.exec(`create table sales (id ${order[kind]}) ${options}; begin`)
  const insert = database.prepare('insert into sales values (?1)')
  for (const key of keys) insert.run([key])
  database.exec('commit')
  const source = sqliteDialect.scanInRanges!('sales', 't', { sql: 'id', kind })
  const rows = database.prepare(`select cast(t.id as text) from ${source}`).all([])
  database.close()
  return { ids: rows.map(([id]) => id), checks }
}

const numbers = (keyOf: (index: number) => number) =>
  Array.from({ length: rowCount }, (_, index) => keyOf(index))

describe('a scan of a table in ranges reads each row once, and can be aborted now and then', () => {
  it.each([
    ['one after the other', numbers((index) => index + 1)],
    ['below zero', numbers((index) => index - rowCount)],
    ['each ninth', numbers((index) => index * 9)],
    ['far apart', numbers((index) => index * 2 ** 32)],
    ['dense after each gap', numbers((index) => index + Math.floor(index / 100) * 1e9)],
    ['in one of a long range', numbers((index) => (index === 0 ? -1e15 : index))],
  ])('by numbers %s', async (_, keys) => {
    const { ids, checks } = await scanned('number', keys)
    expect(ids).toEqual(keys.map(String))
    expect(checks).toBeGreaterThanOrEqual(Math.floor(rowCount / 4_097))
    expect(checks).toBeLessThan(rowCount / 50)
  })

  it('by the least and the greatest number', async () => {
    const keys = [-(2n ** 63n), -1n, 0n, 2n ** 63n - 2n, 2n ** 63n - 1n]
    expect((await scanned('number', keys)).ids).toEqual(keys.map(String))
  })

  it('by texts', async () => {
    const keys = numbers((index) => index)
      .map((index) => `${index % 7 === 0 ? '😀' : ''}${index}`)
      .concat('', '\uFFFF')
      .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    const { ids, checks } = await scanned('text', keys)
    expect(ids).toEqual(keys)
    expect(checks).toBe(Math.floor(rowCount / 4_096))
  })

  it.each(['number', 'text'] as const)('of no rows by a %s', async (kind) => {
    expect((await scanned(kind, [])).ids).toEqual([])
  })
})
