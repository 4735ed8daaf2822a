import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { model, toOne } from 'resourcery'
import { memory } from 'resourcery/memory'
import { sqlite } from 'resourcery/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { loadDriver } from '../../store/sqlite/driver.ts'
import { copyItems } from './copy-items.ts'
import { exportItems } from './export-items.ts'
import { importItems } from './import-items.ts'
import type { MovableStore } from './move-options.ts'

class Company extends model('company', {
  name: z.string(),
  boss: toOne<Person>('person', { onDelete: 'restrict' }),
}) {}

class Person extends model('person', {
  name: z.string(),
  employer: toOne<Company>('company', { onDelete: 'restrict' }),
}) {}

const models = [Company, Person]
const count = 25

let folder: string
let from: MovableStore
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'number-ids-'))
  const file = join(folder, 'companies.db')
  const database = (await loadDriver()).open(file, { readOnly: false })
  database.exec(`
    create table companies (id integer primary key not null, name text not null,
      boss_id integer not null references people (id) deferrable initially deferred);
    create table people (id integer primary key not null, name text not null,
      employer_id integer not null references companies (id) deferrable initially deferred);
    begin`)
  for (let id = 1; id <= count; id++)
    database.exec(`
      insert into companies values (${id}, 'Company', ${id});
      insert into people values (${id}, 'Person', ${id})`)
  database.exec('commit')
  database.close()
  from = { store: sqlite(file, { layout: 'tables', manage: false }) }
})
afterEach(async () => {
  await from.store.close()
  rmSync(folder, { recursive: true })
})

describe('items whose ids are numbers, in a circle of required relations', () => {
  const all = { itemCounts: { company: count, person: count }, differences: { count: 0 } }

  it('are all copied, in the order of the store', async () => {
    const report = await copyItems(from, { store: memory() }, { models })
    expect(report).toMatchObject({ ...all, writtenCount: 2 * count })
  })

  it('are all exported, wherever an export was interrupted', async () => {
    const file = join(folder, 'companies.jsonl')
    await exportItems(from, file, { models })
    const whole = readFileSync(file, 'utf8')
    expect(whole.split('\n')).toHaveLength(2 * count + 3)
    for (let length = 0; length < whole.length; length += 61) {
      writeFileSync(`${file}.partial`, whole.slice(0, length))
      await exportItems(from, file, { models, overwrite: true })
      expect(readFileSync(file, 'utf8') === whole, `after ${length} bytes`).toBe(true)
    }
    expect(await importItems({ store: memory() }, file, { models })).toMatchObject(all)
  })
})
