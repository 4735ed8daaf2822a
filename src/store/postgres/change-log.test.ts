import { expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { bookCreated, logBook, loggedStores } from '../../../test/support/postgres/logged-stores.ts'
import { book, itemOf } from '../../contracts/store/models.ts'
import { idEquals } from '../../query/conditions.ts'
import type { ReadChanges } from '../change-log.ts'
import type { Store } from '../store.ts'
import type { StoreTransaction } from '../store-transaction.ts'

function idsIn(read: ReadChanges): readonly string[] {
  if (read.kind !== 'changes') throw new Error(read.kind)
  return read.entries.map((entry) => (entry.kind === 'erased' ? entry.kind : entry.id))
}

/** Reads until there is something: transactions of other databases delay it too. */
async function readSome(store: Store, after: string | undefined): Promise<ReadChanges> {
  for (;;) {
    const read = await store.changes!.read(after, 10)
    if (read.kind !== 'changes' || read.entries.length > 0) return read
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describePostgres('The log of changes in PostgreSQL', () => {
  it('is not read beyond a transaction that is under way, whose changes come first', async () => {
    const { open } = await loggedStores()
    const [one, other] = [await open(), await open()]
    const begin = await one.changes!.end()
    let endFirst = (): void => {}
    const isHeld = new Promise<void>((resolve) => {
      endFirst = resolve
    })
    let added = (): void => {}
    const isAdded = new Promise<void>((resolve) => {
      added = resolve
    })
    const first = logBook(one, 'first', () => {
      added()
      return isHeld
    })
    await isAdded
    await logBook(other, 'second')
    const middle = await other.changes!.end()
    expect(idsIn(await other.changes!.read(begin, 10))).toEqual([])
    endFirst()
    await first
    expect(idsIn(await readSome(other, begin))).toEqual(['first', 'second'])
    // A position that was taken meanwhile stands before both.
    expect(idsIn(await readSome(other, middle))).toEqual(['first', 'second'])
  })

  it('keeps the order of an item whose second change is of an older transaction', async () => {
    const { open } = await loggedStores()
    const [one, other] = [await open(), await open()]
    await one.write(async (transaction) => {
      for (const id of ['a', 'b']) await transaction.insert(book, itemOf(book, { id }))
    })
    const begin = await one.changes!.end()
    const retitle = async (transaction: StoreTransaction, id: string, title: string) => {
      const before = (await transaction.find(book, idEquals(id)))!
      await transaction.replace(book, itemOf(book, { id, title }, before.revision + 1))
      return { ...bookCreated(id), caller: title }
    }
    let goOn = (): void => {}
    let hasBegun = (): void => {}
    const isAllowed = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const begun = new Promise<void>((resolve) => {
      hasBegun = resolve
    })
    const older = one.write(async (transaction) => {
      const first = await retitle(transaction, 'a', 'first')
      hasBegun()
      await isAllowed
      await transaction.changes!.add([first, await retitle(transaction, 'b', 'third')])
    })
    await begun
    await other.write(async (transaction) => {
      await transaction.changes!.add([await retitle(transaction, 'b', 'second')])
    })
    goOn()
    await older
    const read: string[] = []
    for (let after = begin; read.length < 3; ) {
      const some = await readSome(other, after)
      if (some.kind !== 'changes') throw new Error(some.kind)
      after = some.next
      for (const entry of some.entries) if (entry.kind !== 'erased') read.push(entry.caller!)
    }
    expect(read).toEqual(['second', 'first', 'third'])
  })

  it('begins anew where it comes from another cluster, whose numbers say nothing', async () => {
    const { open, run } = await loggedStores()
    const store = await open()
    await logBook(store, 'before')
    const begin = await store.changes!.end()
    await run(
      `insert into resourcery_changes (transaction_id, change_id, kind, model, id, time_ms) values (9000000000, 1, 'create', 'book', 'restored', 0)`,
    )
    const reopened = await open()
    expect(await reopened.changes!.read(begin, 10)).toEqual({ kind: 'unknown' })
    await logBook(reopened, 'after')
    expect(idsIn(await readSome(reopened, undefined))).toEqual(['after'])
  })

  it('begins anew there also where all of its changes were removed', async () => {
    const { open, run } = await loggedStores()
    const begin = await (await open()).changes!.end()
    await run('update resourcery_changes_state set removed_transaction = 9000000000')
    const reopened = await open()
    expect(await reopened.changes!.read(begin, 10)).toEqual({ kind: 'unknown' })
    await logBook(reopened, 'after')
    expect(idsIn(await readSome(reopened, undefined))).toEqual(['after'])
  })
})
