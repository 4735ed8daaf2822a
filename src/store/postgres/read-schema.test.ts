import { afterAll, beforeAll, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { unusualSchema } from '../../../test/support/postgres/unusual-schema.ts'
import {
  constraintNames,
  type DatabaseSchema,
  findColumn,
  findTable,
  type TableSchema,
  type TableSelection,
} from '../tables/schema/database-schema.ts'
import { typeText, withoutDomains } from '../tables/schema/database-type.ts'
import { PostgresDatabase } from './database.ts'
import { readPostgresSchema } from './read-schema.ts'

describePostgres('The schema of a PostgreSQL database', () => {
  let database: TestDatabase
  let all: DatabaseSchema
  const read = async (selection: TableSelection): Promise<DatabaseSchema> => {
    const connection = new PostgresDatabase(database.url, { maxConnections: 1 })
    try {
      return await connection.transaction((session) => readPostgresSchema(session, selection))
    } finally {
      await connection.close()
    }
  }
  const table = (name: string, schema?: string): TableSchema => findTable(all, { schema, name })!
  const column = (tableName: string, name: string) => findColumn(table(tableName), name)!
  const type = (name: string) => column('values', name).type

  beforeAll(async () => {
    database = await newDatabase()
    await (await sharedServer()).run(unusualSchema, [], database.name)
    all = await read({ kind: 'all' })
  }, 120_000)
  afterAll(() => database?.drop())

  it('has the tables and views of all schemas, without partitions', () => {
    expect(all.tables.map(({ schema, name, kind }) => `${schema}.${name} ${kind}`)).toEqual([
      'Sales.Order table',
      'Sales.order_notes table',
      'public.Mixed Case table',
      'public.bookings table',
      'public.events partitioned',
      'public.film_actor table',
      'public.films table',
      'public.films_by_year materializedView',
      'public.long_films view',
      'public.no_key table',
      'public.people table',
      'public.select table',
      'public.values table',
    ])
  })

  it('is read for named tables, and for the tables of schemas', async () => {
    const names = [
      { schema: undefined, name: 'films' },
      { schema: 'Sales', name: 'Order' },
      { schema: undefined, name: 'order_notes' },
      { schema: 'public', name: 'events_2024' },
    ]
    const named = await read({ kind: 'tables', names })
    expect(named.tables.map(({ name }) => name)).toEqual(['Order', 'events_2024', 'films'])
    expect(findTable(named, names[0]!)).toEqual(table('films'))
    expect(findTable(named, names[2]!)).toBeUndefined()
    const sales = await read({ kind: 'schemas', names: ['Sales'] })
    expect(sales.tables.map(({ name }) => name)).toEqual(['Order', 'order_notes'])
    expect(await read({ kind: 'tables', names: [] })).toEqual({
      currentSchema: 'public',
      tables: [],
    })
  })

  it('is read in one round trip', async () => {
    const connection = new PostgresDatabase(database.url, { maxConnections: 1 })
    let roundTrips = 0
    await connection.transaction((session) => {
      const run: typeof session.run = (statements) => {
        roundTrips++
        return session.run(statements)
      }
      return readPostgresSchema({ run }, { kind: 'all' })
    })
    await connection.close()
    expect(roundTrips).toBe(1)
  })

  it('has types with their modifiers', () => {
    expect(type('short')).toEqual({ kind: 'base', name: 'character varying', maxLength: 20 })
    expect(type('fixed')).toEqual({ kind: 'base', name: 'character', maxLength: 3 })
    expect(type('price')).toEqual({ kind: 'base', name: 'numeric', precision: 10, scale: 2 })
    expect(type('rounded')).toEqual({ kind: 'base', name: 'numeric', precision: 5, scale: -2 })
    expect(type('any_number')).toEqual({ kind: 'base', name: 'numeric' })
    expect(type('at')).toEqual({
      kind: 'base',
      name: 'timestamp without time zone',
      precision: 3,
    })
    expect(type('flags')).toEqual({ kind: 'base', name: 'bit', maxLength: 8 })
    const plain = ['cash', 'address', 'bytes', 'document', 'uid', 'letters']
    expect(plain.map((name) => typeText(type(name)))).toEqual([
      'money',
      'inet',
      'bytea',
      'jsonb',
      'uuid',
      'citext',
    ])
  })

  it('has enums, domains, arrays, ranges and composite types', () => {
    const mood = { kind: 'enum', name: 'Mood', values: ['sad', 'ok', "it's fine"] }
    expect(type('mood')).toEqual(mood)
    expect(type('moods')).toEqual({ kind: 'array', items: mood })
    expect(typeText(type('labels'))).toBe('character varying(10)[]')
    expect(type('email')).toEqual({
      kind: 'domain',
      name: 'work_email',
      isNullable: false,
      base: {
        kind: 'domain',
        name: 'email',
        isNullable: true,
        base: { kind: 'base', name: 'character varying', maxLength: 80 },
        checks: [{ name: 'email_check', expression: "((VALUE)::text ~~ '%@%'::text)" }],
      },
      checks: [{ name: 'work', expression: "((VALUE)::text ~~ '%@work.example'::text)" }],
    })
    expect(typeText(withoutDomains(type('email')))).toBe('character varying(80)')
    expect(type('span')).toEqual({
      kind: 'range',
      name: 'int4range',
      bounds: { kind: 'base', name: 'integer', range: 'int32' },
    })
    expect(type('place')).toEqual({ kind: 'composite', name: 'place' })
  })

  it('has defaults, identity, computed columns, collations and comments', () => {
    expect(column('films', 'film_id')).toMatchObject({ generated: 'identityAlways' })
    expect(column('people', 'id')).toMatchObject({
      generated: 'never',
      isNullable: false,
      default: { kind: 'sequence', sql: "nextval('people_id_seq'::regclass)" },
    })
    expect(column('values', 'id')).toMatchObject({ generated: 'identityByDefault' })
    expect(column('films', 'label')).toMatchObject({ generated: 'computed', default: undefined })
    expect(column('films', 'rating')).toMatchObject({
      default: { kind: 'expression', sql: '3' },
      isNullable: false,
    })
    expect(column('films', 'title')).toMatchObject({
      collation: 'C',
      comment: 'As on the poster.',
      default: undefined,
    })
    expect(table('films').comment).toBe('What we show.')
    expect(column('values', 'short')).toMatchObject({ collation: undefined, comment: undefined })
  })

  it('has keys, unique keys and indexes', () => {
    expect(table('film_actor').primaryKey).toEqual({
      name: 'film_actor_pkey',
      columns: ['film_id', 'actor_id'],
      isDeferrable: false,
    })
    expect(table('no_key').primaryKey).toBeUndefined()
    expect(table('films').uniqueKeys).toEqual([
      { name: 'films_code_key', columns: ['code'], isDeferrable: true, isNullLargest: true },
      {
        name: 'films_title_year',
        columns: ['title', 'year'],
        isDeferrable: false,
        isNullLargest: true,
      },
    ])
    const index = (name: string) => table('films').indexes.find((one) => one.name === name)!
    const year = { column: 'year', sql: 'year', collation: undefined }
    expect(index('films_year')).toEqual({
      name: 'films_year',
      isUnique: false,
      isValid: true,
      method: 'btree',
      predicate: undefined,
      keys: [
        { ...year, direction: 'desc', isNullLargest: true },
        { column: 'title', sql: 'title', direction: 'asc', collation: 'C', isNullLargest: true },
      ],
    })
    expect(index('films_lower')).toMatchObject({
      isUnique: true,
      keys: [{ column: undefined, sql: 'lower(title)' }],
    })
    expect(index('films_recent')).toMatchObject({ isUnique: true, predicate: '(year > 2000)' })
    expect(constraintNames(table('films'))).toContain('films_director_id_fkey')
  })

  it('has foreign keys, to itself and two to one table', () => {
    const keys = table('films').foreignKeys
    expect(keys.map(({ name, columns, target }) => [name, columns[0], target.name])).toEqual([
      ['films_director_id_fkey', 'director_id', 'people'],
      ['films_sequel_of_fkey', 'sequel_of', 'films'],
      ['films_writer_id_fkey', 'writer_id', 'people'],
    ])
    expect(keys.map(({ onDelete, isDeferrable }) => [onDelete, isDeferrable])).toEqual([
      ['restrict', false],
      ['setNull', true],
      ['cascade', false],
    ])
    expect(table('order_notes', 'Sales').foreignKeys).toEqual([
      {
        name: 'order_notes_fkey',
        columns: ['number', 'Year'],
        target: { schema: 'Sales', name: 'Order' },
        targetColumns: ['number', 'Year'],
        onDelete: 'noAction',
        isDeferrable: false,
      },
    ])
  })

  it('has checks and exclusions', () => {
    expect(table('films').checks).toEqual([
      {
        name: 'films_rating_check',
        expression: '((rating >= 1) AND (rating <= 5))',
        columns: ['rating'],
      },
    ])
    expect(table('bookings').exclusions).toEqual([
      {
        name: 'bookings_period_excl',
        expression: 'EXCLUDE USING gist (period WITH &&)',
        columns: ['period'],
      },
    ])
    expect(table('bookings').indexes).toEqual([])
  })
})
