import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { model } from '../../src/model/declare/model.ts'
import { postgres } from '../../src/store/postgres/postgres.ts'
import { describeModels, type Store } from '../../src/store/public.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { newDatabase } from '../support/postgres/shared-server.ts'

/** Adds a change each time it gets a line, whose text is the id. */
const program = (open: string) => `
import { createInterface } from 'node:readline'
import { model } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { sqlite } from 'resourcery/sqlite'
import { describeModels } from 'resourcery/store'
import { z } from 'zod'
const store = ${open}
await store.open(describeModels([model('note', { text: z.string() })]), { keepsChanges: true })
console.log('open')
for await (const id of createInterface({ input: process.stdin }))
  await store.write((transaction) =>
    transaction.changes.add([
      { kind: 'delete', model: 'note', id, timeMs: 0, caller: null, before: null, after: null },
    ]),
  )
await store.close()
`

/** Says what changes of another process a store reads that reads whenever it is called. */
async function followOther(store: Store, open: string): Promise<void> {
  onTestFinished(() => store.close())
  await store.open(describeModels([model('note', { text: z.string() })]), { keepsChanges: true })
  const ids: string[] = []
  let after = await store.changes!.end()
  let reading = Promise.resolve()
  store.changes!.watch(() => {
    reading = reading.then(async () => {
      const read = await store.changes!.read(after, 100)
      if (read.kind !== 'changes') throw new Error(read.kind)
      after = read.next
      for (const entry of read.entries) ids.push(entry.kind === 'erased' ? '' : entry.id)
    })
  })
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(open)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve)
    child.once('exit', reject)
  })
  for (const [index, id] of ['a', 'b', 'c'].entries()) {
    child.stdin.write(`${id}\n`)
    await vi.waitFor(() => expect(ids).toHaveLength(index + 1), { timeout: 10_000, interval: 5 })
  }
  expect(ids).toEqual(['a', 'b', 'c'])
}

describe('Watching the log of changes', () => {
  for (const layout of ['documents', 'tables'] as const)
    it(`notices the changes of another process in a file of ${layout}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'watched-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const file = join(folder, 'notes.db')
      const options = JSON.stringify({ layout })
      await followOther(sqlite(file, { layout }), `sqlite(${JSON.stringify(file)}, ${options})`)
    })
})

describePostgres('Watching the log of changes', () => {
  it('notices the changes of another process in PostgreSQL', async () => {
    const database = await newDatabase()
    onTestFinished(() => database.drop())
    await followOther(postgres(database.url), `postgres(${JSON.stringify(database.url)})`)
  })
})
