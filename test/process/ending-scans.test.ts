import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'ending-scans-'))
afterAll(() => rmSync(folder, { recursive: true }))

const built = (path: string) =>
  JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../dist', path)).href)

/** A process in a nearly endless scan when it runs `end`. */
const script = (end: string) => `
  import { z } from 'zod'
  import { describeModels } from ${built('model/describe/describe-models.js')}
  import { model } from ${built('model/declare/model.js')}
  import { createStoredItem } from ${built('stored-item/create-stored-item.js')}
  import { sqlite } from ${built('store/sqlite/sqlite.js')}
  const [note] = describeModels([model('note', { title: z.string() })])
  const store = sqlite(${JSON.stringify(join(folder, 'notes.db'))}, { durability: 'normal' })
  await store.open([note])
  await store.write(async (to) => {
    for (let index = 0; index < 10_000; index++)
      await to.insert(note, createStoredItem(note, { id: 'n-' + index + '-' + process.pid, title: 'x'.repeat(500) }, 1))
  })
  const like = (value) => ({ kind: 'text', path: { names: ['title'] }, operator: 'like', value })
  const condition = { kind: 'or', conditions: Array.from({ length: 400 }, (_, index) => like('%x_x' + index + '%')) }
  store.count(note, condition).catch(() => {})
  setTimeout(async () => { ${end} }, 300)
`

test.each([
  ['the process is ended at once', 'process.exit(3)', 3],
  ['the store is closed', 'await store.close(); process.exitCode = 4', 4],
])(
  'ends cleanly during a scan where %s',
  async (_, end, code) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script(end)], {
      cwd: join(import.meta.dirname, '../..'),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    child.stderr.on('data', (text) => {
      errors += text
    })
    const outcome = await once(child, 'exit')
    expect({ outcome, errors }).toEqual({ outcome: [code, null], errors: '' })
  },
  30_000,
)

test('a service that ends its idle image processes continues to close the rest', async () => {
  const ending = `
    import { startImageProcess } from ${built('operation/resource/image-process.js')}
    const images = startImageProcess()
    await images.run({ variant: undefined, maxPixels: 1 }, new Uint8Array(1)).catch(() => {})
    await images.kill()
    process.exitCode = 5
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', ending], {
    stdio: 'ignore',
  })
  expect(await once(child, 'exit')).toEqual([5, null])
}, 30_000)
