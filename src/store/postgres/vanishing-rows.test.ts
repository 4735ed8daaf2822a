import { createRouter, model, toOne } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { idEquals } from '../../query/conditions.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'

const Ticket = model('ticket', {
  state: z.string(),
  board: toOne('board', { optional: true }),
})
const Board = model('board', { name: z.string() })

describePostgres('Rows that cannot be read after they were written', () => {
  let database: TestDatabase
  let store: ReturnType<typeof postgres>
  let api: ReturnType<typeof client>
  const errors: unknown[] = []
  const sql = async (text: string) => (await sharedServer()).run(text, [], database.name)

  beforeAll(async () => {
    database = await newDatabase()
    await sql(`
      create table boards (id text primary key, name text not null);
      create table tickets (
        id text primary key, state text not null, board_id text references boards on delete cascade
      );
      create function archive() returns trigger language plpgsql as $$
        begin delete from tickets where id = new.id; return null; end $$;
      create trigger archive after update on tickets for each row
        when (new.state = 'archived') execute function archive();
      create function renumber() returns trigger language plpgsql as $$
        begin new.id = 'closed-' || new.id; return new; end $$;
      create trigger renumber before update on tickets for each row
        when (new.state = 'closed') execute function renumber();
    `)
    store = postgres(database.url)
    const router = createRouter({
      policy: rest(),
      store,
      onError: (error) => errors.push(error),
    })
    for (const prepared of [Ticket, Board]) router.prepare(prepared)
    await router.open()
    api = client(router)
  }, 120_000)
  afterAll(async () => {
    await store?.close()
    await database?.drop()
  })
  beforeEach(async () => {
    await sql(`
      truncate tickets, boards;
      insert into boards values ('b', 'Bugs');
      insert into tickets values ('t', 'open', 'b');
    `)
  })

  it.each(['closed', 'archived'])('are refused, and stay as they were: %s', async (state) => {
    const refused = await api.patch('/tickets/t', { ticket: { state } })
    expect(refused.status).toBe(422)
    expect(await sql('select state from tickets')).toEqual([{ state: 'open' }])
    expect(errors).toEqual([])
  })

  it('are none where the transaction never found one', async () => {
    const [ticket] = describeModels([Ticket, Board])
    const item = createStoredItem(ticket!, { id: 'x', state: 'open', board: null }, 1)
    await expect(store.write((transaction) => transaction.replace(ticket!, item))).rejects.toThrow(
      'x',
    )
    await expect(
      store.write(async (transaction) => {
        expect(await transaction.find(ticket!, idEquals('x'))).toBeUndefined()
        return transaction.replace(ticket!, item)
      }),
    ).rejects.toThrow('x')
  })

  it('may be removed by the database with the item that they refer to', async () => {
    expect((await api.delete('/boards/b')).status).toBe(204)
    expect(await sql('select id from tickets')).toEqual([])
    expect(errors).toEqual([])
  })
})
