import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  describePgBouncer,
  describePostgres,
} from '../../../test/support/postgres/describe-postgres.ts'
import { logBook, loggedStores } from '../../../test/support/postgres/logged-stores.ts'
import { startPgBouncer } from '../../../test/support/postgres/pg-bouncer.ts'
import { book, itemOf } from '../../contracts/store/models.ts'
import type { Store } from '../store.ts'

const waiting = { timeout: 20_000, interval: 10 }

async function opened() {
  const stores = await loggedStores()
  /** The server processes that listen. */
  const listening = async () => {
    const rows = await stores.run(
      "select pid from pg_stat_activity where datname = current_database() and query like 'listen %'",
    )
    return rows.map((row) => Object.values(row)[0])
  }
  return { ...stores, listening }
}

/** What a reader of the log has read that reads on whenever it is called. */
function followed(store: Store): { readonly ids: string[]; stop(): void } {
  const ids: string[] = []
  let after: string | undefined
  let reading = Promise.resolve()
  const readOn = async () => {
    const read = await store.changes!.read(after, 100)
    if (read.kind !== 'changes') throw new Error(read.kind)
    after = read.next
    for (const entry of read.entries) if (entry.kind !== 'erased') ids.push(entry.id)
  }
  const stop = store.changes!.watch(() => {
    reading = reading.then(readOn)
  })
  onTestFinished(stop)
  return { ids, stop }
}

describePostgres('Watching the log of changes in PostgreSQL', () => {
  it('tells another store of a change, also one that waits for another transaction', async () => {
    const { open } = await opened()
    const [one, other] = [await open(), await open()]
    const { ids } = followed(other)
    await logBook(one, 'a')
    await vi.waitFor(() => expect(ids).toEqual(['a']), waiting)
    let isAdded = false
    let end = () => {}
    const held = logBook(one, 'b', () => {
      isAdded = true
      return new Promise((resolve) => {
        end = resolve
      })
    })
    await vi.waitFor(() => expect(isAdded).toBe(true), waiting)
    await logBook(one, 'c')
    await wait(300)
    expect(ids).toEqual(['a'])
    end()
    await held
    await vi.waitFor(() => expect(ids).toEqual(['a', 'b', 'c']), waiting)
  })

  it('notifies after commits with changes only', async () => {
    const { open, database } = await opened()
    const store = await open()
    const client = new Client({ connectionString: database.url })
    await client.connect()
    onTestFinished(() => client.end())
    const payloads: (string | undefined)[] = []
    client.on('notification', ({ payload }) => payloads.push(payload))
    await client.query('listen resourcery_changes')
    await store.write((transaction) => transaction.insert(book, itemOf(book, { id: 'unlogged' })))
    await wait(50)
    expect(payloads).toEqual([])
    await Promise.all(Array.from({ length: 50 }, (_, index) => logBook(store, `b-${index}`)))
    await vi.waitFor(() => expect(payloads).not.toEqual([]), waiting)
    expect(payloads.length).toBeLessThan(50)
    expect(new Set(payloads)).toEqual(new Set(['']))
  })

  it('listens only while somebody watches, and again where its connection is lost', async () => {
    const { open, run, listening } = await opened()
    const [one, other] = [await open(), await open()]
    expect(await listening()).toEqual([])
    const { ids, stop } = followed(other)
    await vi.waitFor(async () => expect(await listening()).toHaveLength(1), waiting)
    const [first] = await listening()
    await run(`select pg_terminate_backend(${first})`)
    await vi.waitFor(async () => {
      const [second, ...others] = await listening()
      expect(others).toEqual([])
      expect(second).toBeDefined()
      expect(second).not.toBe(first)
    }, waiting)
    await logBook(one, 'a')
    await vi.waitFor(() => expect(ids).toEqual(['a']), waiting)
    stop()
    await vi.waitFor(async () => expect(await listening()).toEqual([]), waiting)
  })
})

describePgBouncer('Watching the log of changes behind PgBouncer', () => {
  it('looks from time to time, and does not listen', async () => {
    const { open, server, database, listening } = await opened()
    const pooler = await startPgBouncer(server)
    onTestFinished(() => pooler.stop())
    const one = await open()
    const other = await open(pooler.url(database.name))
    const { ids, stop } = followed(other)
    await logBook(one, 'a')
    await vi.waitFor(() => expect(ids).toEqual(['a']), waiting)
    await logBook(other, 'b')
    await vi.waitFor(() => expect(ids).toEqual(['a', 'b']), waiting)
    expect(await listening()).toEqual([])
    stop()
    await other.close()
  })
})
