import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { field } from '../../model/declare/field.ts'
import { type AnyModel, model } from '../../model/declare/model.ts'
import { toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { postgres } from './postgres-store.ts'

describePostgres('What tables keep of former models', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
    await open(
      Author,
      model('book', {
        pages: z.int(),
        weight: z.int(),
        isbn: field(z.string(), { unique: true }),
        released: field(z.iso.datetime(), { unique: true }),
        uuid: z.uuid(),
        author: toOne('author'),
      }),
    )
  }, 120_000)
  afterAll(() => database?.drop())

  const Author = model('author', { name: z.string() })
  const withStore = async <T>(
    models: readonly AnyModel[],
    work: (
      store: ReturnType<typeof postgres>,
      described: ReturnType<typeof describeModels>,
    ) => Promise<T>,
  ): Promise<T> => {
    const store = postgres(database.url, { maxConnections: 1 })
    try {
      return await work(store, describeModels([...models]))
    } finally {
      await store.close()
    }
  }
  const open = (...models: AnyModel[]) =>
    withStore(models, (store, described) => store.open(described))
  const plan = (...models: AnyModel[]) =>
    withStore(models, (store, described) => store.admin!.plan!(described))

  it('does not hold fields whose type has changed, and a start refuses them', async () => {
    const Book = model('book', {
      pages: z.string(),
      weight: z.number(),
      isbn: field(z.string(), { unique: true }),
      released: field(z.iso.datetime(), { unique: true }),
      uuid: z.string(),
      author: toOne('author'),
    })
    const refusals = [
      ['pages', 'bigint'],
      ['weight', 'bigint'],
      ['uuid', 'uuid'],
    ].map(
      ([name, type]) =>
        `The column '${name}' of 'books' has the type ${type}, which cannot hold all values of the field '${name}' of the model 'book'. Add a field with another name, and let its option 'backfill' make the values from the old ones.`,
    )
    expect(await plan(Author, Book)).toEqual(
      refusals.map((summary) => ({ kind: 'refused', summary })),
    )
    await expect(open(Author, Book)).rejects.toThrow(refusals.join('\n'))
  })

  it('goes on with its rules, which the plan names', async () => {
    const Book = model('book', {
      pages: z.int(),
      weight: z.int(),
      isbn: z.string(),
      released: z.iso.datetime(),
      uuid: z.uuid(),
    })
    await open(Author, Book)
    const steps = await plan(Author, Book)
    expect(steps.map(({ kind, summary }) => `${kind}: ${summary}`)).toEqual([
      "never: Drop the column 'author_id' of 'books', which no field of the model 'book' has. Until then its foreign key keeps items in 'authors' from being deleted.",
      "never: Drop the unique index 'books_isbn_key' over 'isbn' of 'books', which is not unique in the model 'book'. Until then a value that another item has is 409.",
      "never: Drop the unique index 'books_released_key' over 'released' of 'books', which is not unique in the model 'book'. Until then a value that another item has is 409.",
    ])
    for (const step of steps)
      if (step.kind === 'never')
        for (const statement of step.sql)
          await (await sharedServer()).run(statement, [], database.name)
    expect(await plan(Author, Book)).toEqual([])
  })
})
