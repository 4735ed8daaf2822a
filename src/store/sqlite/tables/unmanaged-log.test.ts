import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRouter, model, planRouters } from 'resourcery'
import { rest } from 'resourcery/rest'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { loadDriver } from '../driver.ts'
import { sqlite } from '../sqlite.ts'

it('keeps a log of changes in tables that a person has made, where it changes no table', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
  const file = join(folder, 'notes.db')
  const { open } = await loadDriver()
  const run = (statements: readonly string[]) => {
    const database = open(file, { readOnly: false })
    for (const sql of statements) database.exec(sql)
    database.close()
  }
  run(['create table notes (id text primary key, text text not null) strict'])
  const Note = model('note', { text: z.string() })
  const start = () => {
    const store = sqlite(file, { layout: 'tables', manage: false })
    const router = createRouter({ policy: rest(), store, changes: true })
    router.prepare(Note)
    onTestFinished(() => router.close())
    return { router, store }
  }
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await expect(start().router.open()).rejects.toThrow(
    "The table 'resourcery_changes', in which the store keeps the log of changes, does not exist.",
  )
  for (const { sql = [] } of (await planRouters([start().router]))!) run(sql)
  const { router, store } = start()
  await router.items(Note).create({ id: 'a', text: 'A' })
  expect(await store.changes!.read(undefined, 10)).toMatchObject({
    entries: [{ kind: 'create', model: 'note', id: 'a' }],
  })
})
