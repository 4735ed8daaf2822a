import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { type ModelOptions, model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { postgres } from './postgres-store.ts'

const fields = { row: z.int().nullable(), seat: z.int().nullable(), isOpen: z.boolean().nullable() }
type Sets = NonNullable<ModelOptions<keyof typeof fields>['unique']>

const described = (unique: Sets) =>
  describeModels([model('booking', fields, { unique, table: 'bookings' })])

describePostgres('Unique sets in tables', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  }, 120_000)
  afterAll(() => database?.drop())
  const sql = async (text: string) => (await sharedServer()).run(text, [], database.name)
  beforeEach(() => sql('drop table if exists bookings, resourcery_settings'))

  const withStore = async <T>(
    manage: boolean,
    work: (store: ReturnType<typeof postgres>) => Promise<T>,
  ): Promise<T> => {
    const store = postgres(database.url, { maxConnections: 1, manage })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }
  const otherTable = (constraints: string) =>
    sql(
      `create table bookings (id text primary key, "row" bigint, seat bigint, is_open boolean); ${constraints}`,
    )
  const openOther = (unique: Sets) => withStore(false, (store) => store.open(described(unique)))
  const insertTwice = (unique: Sets) =>
    withStore(false, async (store) => {
      const [booking] = described(unique)
      await store.open([booking!])
      const insert = (id: string) =>
        store.write((transaction) =>
          transaction.insert(
            booking!,
            createStoredItem(booking!, { id, row: 1, seat: 2, isOpen: true }, 1),
          ),
        )
      return [(await insert('a')).kind, await insert('b')]
    })
  const partial = [{ fields: ['seat'], where: { isOpen: true } }] as const

  it('need a unique index over their columns in tables of another program', async () => {
    await otherTable('create unique index own on bookings (seat, is_open)')
    await expect(openOther([['row', 'seat']])).rejects.toThrow(
      "No unique index is over the columns 'row' and 'seat' of 'bookings', but the fields 'row' and 'seat' of the model 'booking' are unique together.",
    )
    await sql('create unique index other on bookings (seat, "row") where is_open')
    await expect(openOther([['row', 'seat']])).rejects.toThrow('No unique index is over')
    await expect(openOther(partial)).rejects.toThrow("over the column 'seat' of 'bookings'")
  })

  it('are told by an index over their columns in any order, whatever its name', async () => {
    await otherTable('create unique index whatever on bookings (seat, "row")')
    expect(await insertTwice([['row', 'seat']])).toEqual([
      'written',
      { kind: 'taken', fields: ['row', 'seat'] },
    ])
  })

  it('may have an index with a condition, if they have one', async () => {
    await otherTable('create unique index whatever on bookings (seat) where is_open')
    expect(await insertTwice(partial)).toEqual(['written', { kind: 'taken', fields: ['seat'] }])
  })

  it('get another index for another condition, and the old one is left to a person', async () => {
    const plan = (unique: Sets) =>
      withStore(true, async (store) => {
        const steps = await store.admin!.plan!(described(unique))
        return steps.map(({ kind, summary }) => `${kind}: ${summary}`)
      })
    const open = (unique: Sets) => withStore(true, (store) => store.open(described(unique)))
    const both: Sets = [['row', 'seat'], ...partial]
    await open([])
    expect(await plan(both)).toEqual([
      "online: Create a unique index over 'row', 'seat' of 'bookings'.",
      "online: Create a unique index over 'seat' of 'bookings'.",
    ])
    await open(both)
    expect(await plan(both)).toEqual([])
    const changed: Sets = [{ fields: ['seat'], where: { isOpen: null } }]
    expect(await plan(changed)).toEqual([
      "online: Create a unique index over 'seat' of 'bookings'.",
      "never: Drop the unique index 'bookings_row_seat_key' over 'row' and 'seat' of 'bookings', which are not unique together in the model 'booking'. Until then values that another item has are 422.",
      expect.stringMatching(
        /^never: Drop the unique index 'bookings_seat_where_[0-9a-f]{8}_key' over 'seat' of 'bookings', which is not unique in the model/,
      ),
    ])
  })
})
