import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { schemaChanges } from '../../../test/support/postgres/statement-log.ts'
import { field, hash } from '../../model/declare/field.ts'
import { type AnyModel, model } from '../../model/declare/model.ts'
import { toMany, toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { idEquals } from '../../query/conditions.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import { postgres } from './postgres-store.ts'

const film = (fields: Parameters<typeof model>[1] = {}) =>
  model('film', { title: z.string(), hash: hash(), ...fields })

describePostgres('The tables that the PostgreSQL store manages', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  }, 120_000)
  afterAll(() => database?.drop())
  const sql = async (text: string) => (await sharedServer()).run(text, [], database.name)

  async function opened(...models: AnyModel[]) {
    const described = describeModels(models)
    const store = postgres(database.url, { maxConnections: 2 })
    await store.open(described)
    return { store, described, model: described[0]! }
  }

  it('get columns for added fields, and items their defaults', async () => {
    const first = await opened(film())
    const item = createStoredItem(first.model, { id: 'f-1', title: 'M' }, 1)
    await first.store.write((transaction) => transaction.insert(first.model, item))
    await first.store.close()

    const second = await opened(
      film({
        isSilent: z.boolean().default(false),
        tags: z.array(z.string()).default([]),
        note: field(z.string().optional(), { index: true }),
        year: z.int().nullable(),
        sequel: toOne('film', { optional: true }),
        remakes: toMany('film'),
      }),
    )
    const storedItem = (await second.store.find(second.model, idEquals('f-1')))!
    expect(readStoredValues(second.model, storedItem)).toEqual({
      id: 'f-1',
      title: 'M',
      isSilent: false,
      tags: [],
      year: null,
      sequel: null,
      remakes: [],
    })
    await second.store.close()
    const columns = await sql(
      "select column_name, column_default, is_nullable from information_schema.columns where table_name = 'films' order by 1",
    )
    expect(columns).toContainEqual({
      column_name: 'is_silent',
      // Processes of the old version add rows without the column.
      column_default: 'false',
      is_nullable: 'NO',
    })
  })

  it('keep columns of fields that the model does not have any more', async () => {
    const { store } = await opened(film())
    await store.close()
    expect(await sql('select is_silent from films')).toEqual([{ is_silent: false }])
  })

  it('are not changed by an opening that finds all', async () => {
    const before = schemaChanges(await database.statements()).length
    const { store } = await opened(film())
    await store.close()
    expect(schemaChanges(await database.statements()).length).toBe(before)
  })

  it('are made once by processes that open at the same time', async () => {
    const all = await Promise.all(
      Array.from({ length: 4 }, () => opened(model('shared', { title: z.string() }))),
    )
    for (const { store } of all) await store.close()
    expect(await sql('select count(*)::int as count from shareds')).toEqual([{ count: 0 }])
  })

  it('have the names that the model gives', async () => {
    await sql('create schema shop')
    const { store, described } = await opened(
      model(
        'work',
        {
          name: field(z.string(), { column: 'Title', unique: true }),
          main: toOne('topic', { optional: true, column: 'topic' }),
          topics: toMany('topic', {
            through: { table: 'shop.work_topic', owner: 'w', target: 't' },
          }),
        },
        { table: 'shop.Works', key: 'work_id' },
      ),
      model('topic', { works: toMany('work', { inverse: 'topics' }) }),
    )
    const [work, topic] = described
    await store.write(async (transaction) => {
      await transaction.insert(topic!, createStoredItem(topic!, { id: 't-1' }, 1))
      const values = { id: 'w-1', name: 'x', main: 't-1', topics: ['t-1'] }
      const outcome = await transaction.insert(work!, createStoredItem(work!, values, 1))
      expect(outcome.kind).toBe('written')
      const other = createStoredItem(work!, { id: 'w-2', name: 'x' }, 1)
      expect(await transaction.insert(work!, other)).toEqual({ kind: 'taken', fields: ['name'] })
    })
    const condition = {
      kind: 'members',
      path: { names: ['works'] },
      quantity: 'any',
      values: ['w-1'],
    } as const
    expect(await store.count(topic!, condition)).toBe(1)
    await store.close()
    expect(await sql('select work_id, "Title", topic from shop."Works"')).toEqual([
      { work_id: 'w-1', Title: 'x', topic: 't-1' },
    ])
    expect(await sql('select w, t from shop.work_topic')).toEqual([{ w: 'w-1', t: 't-1' }])
  })

  it('are not those that another program made', async () => {
    await sql('create table actors (id text primary key, name text)')
    const actor = model('actor', { age: z.int().optional() })
    const store = postgres(database.url, { maxConnections: 1, manage: true })
    await expect(store.open(describeModels([actor]))).rejects.toThrow(
      "The table 'actors' exists, and this store did not make it. The store changes only tables that it made. Give the model another with { table: '…' }, or let the store change no table with { manage: false }.",
    )
    await store.close()
    const columns = await sql(
      "select column_name from information_schema.columns where table_name = 'actors' order by 1",
    )
    expect(columns).toEqual([{ column_name: 'id' }, { column_name: 'name' }])
  })

  it('refuse a model whose fields would share a column', async () => {
    await expect(opened(model('clash', { name: z.string(), Name: z.string() }))).rejects.toThrow(
      "'name' and 'Name' of the model 'clash' would have the same column 'name'. Give one of them another with { column: '…' }.",
    )
  })
})
