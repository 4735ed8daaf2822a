import { describe, expect, it, onTestFinished, test } from 'vitest'
import { interruptCheckFunction, sqliteDialect } from './dialect.ts'
import { loadDriver } from './driver.ts'

const rowCount = 6_100

/** Counts the calls of the function that can abort a scan. */
async function countingDatabase() {
  const database = (await loadDriver()).open(':memory:', { readOnly: false })
  let checks = 0
  database.defineFunction(interruptCheckFunction, () => {
    checks++
    return 1
  })
  return { database, checkCount: () => checks }
}

/** How often a scan of rows with these keys calls the function that can abort it. */
async function checksOf(key: (index: number) => number, number?: string): Promise<number> {
  const { database, checkCount } = await countingDatabase()
  try {
    database.exec('create table sales (id integer primary key)')
    const insert = database.prepare('insert into sales values (?1)')
    for (let index = 0; index < rowCount; index++) insert.run([key(index)])
    const check = sqliteDialect.interruptCheck('none', { alias: 't', ...(number && { number }) })
    expect(database.prepare(`select count(*) from sales t where ${check}`).get([])).toEqual([
      rowCount,
    ])
    return checkCount()
  } finally {
    database.close()
  }
}

describe('a scan can be aborted at about one row in 61, where a program counts its keys', () => {
  it.each([1, -1, 2, 10, 61, 64, 122, 1_000, 61 ** 2, 2 ** 22, 2 ** 40])('by %i', async (step) => {
    const checks = await checksOf((index) => 7 + index * step, 't.id')
    expect(checks).toBeGreaterThan(rowCount / 61 / 2)
    expect(checks).toBeLessThan((rowCount / 61) * 2)
  })
})

test('without such a key, a scan can be aborted at one row in 64 on average', async () => {
  const checks = await checksOf((index) => index)
  expect(checks).toBeGreaterThan(rowCount / 64 / 3)
  expect(checks).toBeLessThan((rowCount / 64) * 3)
})

test('of few rows, those with long texts are checked, because the others take no time', async () => {
  const { database, checkCount } = await countingDatabase()
  onTestFinished(() => database.close())
  database.exec('create table sales ("text" text)')
  const insert = database.prepare('insert into sales values (?1)')
  for (const length of [10, 2_000, 2_000, 5_000, 5_000, 50_000]) insert.run(['x'.repeat(length)])
  const check = sqliteDialect.interruptCheck('none', { alias: 't', isOneOfFew: true })
  expect(database.prepare(`select count(*) from sales t where ${check}`).get([])).toEqual([6])
  expect(checkCount()).toBe(3)
})
