import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/documentation.ts'
import { loadDriver } from '../../store/sqlite/driver.ts'
import { pull } from '../pull/pull.ts'
import { writeNewFiles } from './pull-command.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('A pulled service that cannot start says why in a sentence, and exits with 1', async () => {
  const folder = temporaryFolder('pulled-service')
  const file = join(folder, 'shop.db')
  const run = async (sql: string) => {
    const database = (await loadDriver()).open(file, { readOnly: false })
    database.exec(sql)
    database.close()
  }
  await run('create table films (id integer primary key, title text not null)')
  const { files } = await pull(`sqlite:${file}`, ['films'])
  writeNewFiles(join(folder, 'models'), files)
  await run('alter table films rename column title to name')
  process.env.DATABASE_FILE = file
  const print = vi.spyOn(console, 'error').mockImplementation(() => {})
  await import(join(folder, 'models', 'service.ts'))
  const { exitCode } = process
  process.exitCode = undefined
  rmSync(folder, { recursive: true })
  expect(print.mock.calls).toEqual([
    ["The table 'films' has no column 'title' for the field 'title' of the model 'film'."],
  ])
  expect(exitCode).toBe(1)
})

it('Another address than those of PostgreSQL and SQLite is refused without its password', async () => {
  await expect(pull('mysql://me:secret@db/shop', undefined)).rejects.toThrow(
    "Expected 'postgres://…', 'sqlite:<file>' or the path of an SQLite file; got 'mysql://me:***@db/shop'.",
  )
})
