import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { toDecimalKey } from '../../query/decimal.ts'
import { foldText } from '../../query/fold-text.ts'
import { wordsOf } from '../../query/search-words.ts'
import { localDay } from '../groups/date-part.ts'
import { decimalLimbs } from '../groups/decimal-limbs.ts'
import { loadDriver } from './driver.ts'
import { StatementStopped, scanThread } from './scan-thread.ts'

const folder = mkdtempSync(join(tmpdir(), 'scan-thread-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a list is aborted while its sorted ids are copied', async () => {
  const file = join(folder, 'empty.db')
  const driver = await loadDriver()
  driver.open(file, { readOnly: false }).close()
  const thread = scanThread(file, driver.specifier, () => undefined)
  const counted = (to: number) =>
    `with recursive c(value) as (values (1) union all select value + 1 from c where value < ${to}) select value from c`
  const begin = (list: number, to: number) =>
    thread.run({ kind: 'begin', list, ids: { sql: counted(to), parameters: [] } })
  expect(await begin(1, 1_000)).toBe(1_000)
  const outcome = begin(2, 50_000_000).catch((error: unknown) => error)
  await wait(100)
  const start = performance.now()
  thread.stop()
  expect(await outcome).toBeInstanceOf(StatementStopped)
  expect(performance.now() - start).toBeLessThan(1_000)
  await thread.close()
}, 20_000)

test('a thread in native code is not terminated, and ends by itself after it was closed', async () => {
  const file = join(folder, 'native.db')
  const driver = await loadDriver()
  const other = driver.open(file, { readOnly: false })
  other.exec('create table notes (text text); pragma busy_timeout = 0')
  const isRead = () => {
    try {
      other.exec('begin exclusive; rollback')
      return false
    } catch {
      return true
    }
  }
  const thread = scanThread(file, driver.specifier, () => undefined, 1)
  const sql =
    'with recursive c(value) as (select count(*) from notes union all select value + 1 from c where value < 10000000) select count(*) from c'
  const events: string[] = []
  const statement = thread
    .run({ kind: 'rows', statement: { sql, parameters: [] }, maxBytes: 100_000 })
    .finally(() => events.push('statement'))
  await expect.poll(isRead, { timeout: 10_000 }).toBe(true)
  await thread.close()
  events.push('closed')
  expect(await statement).toEqual([[10_000_001]])
  expect(events).toEqual(['closed', 'statement'])
  other.close()
}, 60_000)

test('all threads share one listener for the exit of the process', async () => {
  const file = join(folder, 'threads.db')
  const driver = await loadDriver()
  driver.open(file, { readOnly: false }).close()
  const start = () => scanThread(file, driver.specifier, () => undefined)
  const first = start()
  const count = process.listenerCount('exit')
  const others = [start(), start()]
  expect(process.listenerCount('exit')).toBe(count)
  await Promise.all([first, ...others].map((thread) => thread.close()))
})

test('texts are folded in a thread as they are elsewhere', async () => {
  const file = join(folder, 'folded.db')
  const driver = await loadDriver()
  driver.open(file, { readOnly: false }).close()
  const thread = scanThread(file, driver.specifier, () => undefined)
  const texts = ['ZOË', 'Straße', 'STRAẞE', 'ΟΔΟΣ, ΟΔΟΣ', '"İı"', 'ﬁ', 'ПЙ', '각', 'कि']
  const rows = await thread.run({
    kind: 'rows',
    statement: {
      sql: 'select fold_text(value), fold_text(null), words_of(value), words_of(null) from json_each(?) order by key',
      parameters: [JSON.stringify(texts)],
    },
    maxBytes: 100_000,
  })
  expect(rows).toEqual(texts.map((text) => [foldText(text), null, wordsOf(text), '']))
  await thread.close()
})

test('numbers are split and days are found in a thread as they are elsewhere', async () => {
  const file = join(folder, 'numbers.db')
  const driver = await loadDriver()
  driver.open(file, { readOnly: false }).close()
  const thread = scanThread(file, driver.specifier, () => undefined)
  const numbers = [0, -0.1, 1e300, 5e-324, 123_456_789.012_345_6, -9_007_199_254_740_991, 1e-7]
  const keys = ['9.50', '-0.000000000009', '123456789012345678.000000000001', '-120', '0', 'x']
  const values = [...numbers, ...keys.map(toDecimalKey)]
  const instants = [
    '2024-03-31T00:59:59',
    '2024-10-27T00:30:00.5',
    '1937-06-30T23:40:30',
    '2024-05-01',
    '0000-01-01T00:00:00',
    '0001-01-01T00:00:00',
    '1500-01-01T12:00:00',
    '9999-12-31T23:59:59',
    'x',
  ]
  const rows = (sql: string, parameter: unknown) =>
    thread.run({
      kind: 'rows',
      statement: { sql, parameters: [JSON.stringify(parameter)] },
      maxBytes: 100_000,
    })
  expect(await rows('select decimal_limbs(value) from json_each(?) order by key', values)).toEqual(
    values.map((value) => [decimalLimbs(value)]),
  )
  for (const zone of ['Europe/Amsterdam', 'America/New_York', 'Asia/Kathmandu'])
    expect(
      await rows(`select local_day(value, '${zone}') from json_each(?) order by key`, instants),
    ).toEqual(instants.map((instant) => [localDay(instant, zone)]))
  await thread.close()
})
