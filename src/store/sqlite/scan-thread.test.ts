import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { foldText } from '../../query/fold-text.ts'
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

test('texts are folded in a thread as they are elsewhere', async () => {
  const file = join(folder, 'folded.db')
  const driver = await loadDriver()
  driver.open(file, { readOnly: false }).close()
  const thread = scanThread(file, driver.specifier, () => undefined)
  const texts = ['ZOË', 'Straße', 'STRAẞE', 'ΟΔΟΣ ΟΔΟΣ', 'İı', 'ﬁ', 'ПЙ', '각', 'कि']
  const rows = await thread.run({
    kind: 'rows',
    statement: {
      sql: 'select fold_text(value), fold_text(null) from json_each(?) order by key',
      parameters: [JSON.stringify(texts)],
    },
    maxBytes: 100_000,
  })
  expect(rows).toEqual(texts.map((text) => [foldText(text), null]))
  await thread.close()
})
