import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/documentation.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { loadDriver } from '../../store/sqlite/driver.ts'
import { pullCommand } from './pull-command.ts'
import { runCommand } from './run-command.ts'

async function pull(...args: readonly string[]) {
  const errors: string[] = []
  const exitCode = await runCommand([pullCommand], ['pull', ...args], {
    print: () => {},
    printError: (text) => errors.push(text),
  })
  return { exitCode, error: errors.join('\n') }
}

const lastLine =
  'Name those to pull with --tables, separated by commas, or pull all of them with --all.'

it('lists the tables of an SQLite file without --tables and --all', async () => {
  const folder = temporaryFolder('pull-command')
  const file = join(folder, 'shop.db')
  const database = (await loadDriver()).open(file, { readOnly: false })
  expect(await pull(`sqlite:${file}`)).toEqual({
    exitCode: 2,
    error: 'The database has no tables.',
  })
  database.exec(`
    create table people (id integer primary key);
    create table films (id integer primary key);
    create table resourcery_models (name text);
    create view titles as select id from films;
  `)
  database.close()
  const { exitCode, error } = await pull(file)
  rmSync(folder, { recursive: true })
  expect(exitCode).toBe(2)
  expect(error.split('\n')).toEqual([
    'The database has 3 tables:',
    '  films',
    '  people',
    '  titles (view)',
    lastLine,
  ])
})

it('takes not both of --tables and --all', async () => {
  const { exitCode, error } = await pull('sqlite:shop.db', '--all', '--tables', 'films')
  expect(exitCode).toBe(2)
  expect(error).toMatch(/^Expected either --tables or --all, not both\./)
})

describePostgres('pull without --tables and --all', () => {
  it('names the schema where a statement needs it', async () => {
    const database = await newDatabase()
    try {
      const server = await sharedServer()
      await server.run(
        'create schema legacy; create table legacy.rental (id int); create table rental (id int)',
        [],
        database.name,
      )
      const { exitCode, error } = await pull(database.url)
      expect(exitCode).toBe(2)
      expect(error.split('\n')).toEqual([
        'The database has 2 tables:',
        '  legacy.rental',
        '  rental',
        lastLine,
      ])
    } finally {
      await database.drop()
    }
  }, 60_000)
})
