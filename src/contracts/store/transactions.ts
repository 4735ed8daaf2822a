import { expect } from 'vitest'
import {
  always,
  andAlso,
  idEquals,
  idIsAnyOf,
  readStoredValues,
  type Store,
  type StoredItem,
  type StoreTransaction,
  toFieldPath,
} from '../../store/public.ts'
import { idsOf, insert, matching, planOf, type Suite } from './harness.ts'
import { author, book, contentOf, itemOf } from './models.ts'

const byTitle = (value: string) =>
  ({ kind: 'compare', path: toFieldPath('title'), operator: 'equal', value }) as const

/** Reads the counter and writes it back incremented, like any change of an item. */
async function increment(transaction: StoreTransaction, id = 'counter'): Promise<number> {
  const item = await transaction.find(book, idEquals(id))
  const pages = pagesOf(item) + 1
  await transaction.replace(book, itemOf(book, { id, pages }, pages))
  return pages
}

function pagesOf(item: StoredItem | undefined): number {
  return (readStoredValues(book, item!).pages as number | undefined) ?? 1
}

function titleOf(item: StoredItem | undefined): unknown {
  return readStoredValues(book, item!).title
}

function add(store: Store, id: string): Promise<unknown> {
  return store.write((transaction) => transaction.insert(book, itemOf(book, { id })))
}

export function transactions(suite: Suite): void {
  suite.alone('gives back what a work returns', async (store) => {
    expect(await store.write(async () => 'done')).toBe('done')
    expect(await store.write(async (transaction) => transaction.count(book, always))).toBe(0)
  })

  suite.alone('counts several conditions at once, as one by one', async (store) => {
    for (const id of ['b-1', 'b-2', 'b-3'])
      await insert(store, book, { id, title: id === 'b-3' ? 'new' : 'old' })
    await insert(store, author, { id: 'a-1' })
    const counts = [
      { model: book, condition: byTitle('old') },
      { model: author, condition: idIsAnyOf(['a-1', 'a-2']) },
      { model: book, condition: andAlso(byTitle('new'), idIsAnyOf(['b-2', 'b-3', 'b?1'])) },
      { model: author, condition: always },
      { model: book, condition: byTitle('old') },
    ]
    await store.write(async (transaction) => {
      await transaction.insert(author, itemOf(author, { id: 'a-2' }))
      const expected: number[] = []
      for (const { model, condition } of counts)
        expected.push(await transaction.count(model, condition))
      expect(expected).toEqual([2, 2, 1, 2, 2])
      if (transaction.fastPaths?.countEach)
        expect(await transaction.fastPaths.countEach(counts)).toEqual(expected)
    })
  })

  suite.alone('writes nothing unless the counts that a write expects are so', async (store) => {
    await insert(store, author, { id: 'a-1' })
    await insert(store, book, { id: 'b-1', title: 'old' })
    const expecting = (...ids: readonly string[]) => ({
      expects: [{ model: author, condition: idIsAnyOf(ids), atLeast: ids.length }],
    })
    const kinds = await store.write(async (transaction) => {
      if (!transaction.fastPaths?.checksWrites) return undefined
      const added = (id: string, ...ids: readonly string[]) =>
        transaction.insert(book, itemOf(book, { id }), expecting(...ids))
      const changed = (title: string, ...ids: readonly string[]) =>
        transaction.replace(book, itemOf(book, { id: 'b-1', title }, 2), expecting(...ids))
      const outcomes = [
        await added('b-2', 'a-1', 'a-2'),
        await changed('unmet', 'a-2'),
        // The counts come first.
        await added('b-1', 'a-2'),
        await added('b-1', 'a-1'),
        await added('b-3', 'a-1'),
        await changed('new', 'a-1'),
        // More items than the least number.
        await transaction.replace(book, itemOf(book, { id: 'b-1', title: 'new' }, 3), {
          expects: [{ model: author, condition: always, atLeast: 0 }],
        }),
      ]
      return outcomes.map(({ kind }) => kind)
    })
    if (!kinds) return
    expect(kinds).toEqual(['unmet', 'unmet', 'unmet', 'exists', 'written', 'written', 'written'])
    expect(await idsOf(store, book, planOf())).toEqual(['b-1', 'b-3'])
    expect(titleOf(await store.find(book, idEquals('b-1')))).toBe('new')
  })

  suite.alone('may commit with a write that nothing follows', async (store) => {
    await insert(store, author, { id: 'a-1' })
    const last = (id: string, ...ids: readonly string[]) =>
      store.write(async (transaction) => {
        const count = { model: author, condition: idIsAnyOf(ids), atLeast: ids.length }
        const expects = transaction.fastPaths?.checksWrites ? [count] : []
        const item = itemOf(book, { id })
        return (await transaction.insert(book, item, { expects, rest: 'nothing' })).kind
      })
    expect(await last('b-1', 'a-1')).toBe('written')
    expect(await last('b-1')).toBe('exists')
    if (await store.write(async ({ fastPaths }) => fastPaths?.checksWrites))
      expect(await last('b-2', 'a-2')).toBe('unmet')
    expect(await idsOf(store, book, planOf())).toEqual(['b-1'])
  })

  suite.alone('undoes all of a work that throws, and rejects with what it threw', async (store) => {
    await insert(store, book, { id: 'b-1', isbn: 'x', title: 'old' })
    await insert(store, author, { id: 'a-1' })
    const mishap = new Error('changed my mind')
    const work = store.write(async (transaction) => {
      await transaction.insert(book, itemOf(book, { id: 'b-2', isbn: 'y' }))
      await transaction.replace(book, itemOf(book, { id: 'b-1', isbn: 'z', title: 'new' }, 2))
      await transaction.remove(author, 'a-1')
      expect(await transaction.count(book, always)).toBe(2)
      throw mishap
    })
    await expect(work).rejects.toBe(mishap)
    expect(await idsOf(store, book, planOf())).toEqual(['b-1'])
    expect(titleOf(await store.find(book, idEquals('b-1')))).toBe('old')
    expect(await matching(store, book, byTitle('new'))).toEqual([])
    expect(await store.count(author, always)).toBe(1)
    await insert(store, book, { id: 'b-3', isbn: 'y' })
    await insert(store, book, { id: 'b-4', isbn: 'z' })
    expect(
      await store.write((entry) => entry.insert(book, itemOf(book, { id: 'b-5', isbn: 'x' }))),
    ).toMatchObject({
      kind: 'taken',
    })
  })

  suite.alone('undoes a work that throws before it begins to wait', async (store) => {
    const thrown = () => {
      throw new Error('at once')
    }
    await expect(store.write(thrown as () => Promise<never>)).rejects.toThrow('at once')
    await add(store, 'b-1')
    expect(await store.count(book, always)).toBe(1)
  })

  suite.alone('goes on after a write that came to nothing', async (store) => {
    await insert(store, book, { id: 'b-1', isbn: 'x', title: 'kept' })
    await store.write(async (transaction) => {
      expect(
        await transaction.insert(book, itemOf(book, { id: 'b-2', title: 'new' })),
      ).toMatchObject({ kind: 'written' })
      expect(await transaction.insert(book, itemOf(book, { id: 'b-1' }))).toEqual({
        kind: 'exists',
      })
      expect(await transaction.insert(book, itemOf(book, { id: 'b-3', isbn: 'x' }))).toEqual({
        kind: 'taken',
        fields: ['isbn'],
      })
      expect(await transaction.insert(book, itemOf(book, { id: 'b-2' }))).toEqual({
        kind: 'exists',
      })
      expect(await transaction.replace(book, itemOf(book, { id: 'b-2', isbn: 'x' }, 2))).toEqual({
        kind: 'taken',
        fields: ['isbn'],
      })
      expect(await transaction.insert(book, itemOf(book, { id: 'b-4' }))).toMatchObject({
        kind: 'written',
      })
    })
    expect(await idsOf(store, book, planOf())).toEqual(['b-1', 'b-2', 'b-4'])
    expect(contentOf((await store.find(book, idEquals('b-2')))!)).toEqual(
      contentOf(itemOf(book, { id: 'b-2', title: 'new' })),
    )
    expect(await matching(store, book, byTitle('kept'))).toEqual(['b-1'])
  })

  suite.alone('shows a work its own writes, by every kind of read', async (store) => {
    await insert(store, book, { id: 'b-1', title: 'old' })
    await insert(store, book, { id: 'b-2', author: 'a-1' })
    await store.write(async (transaction) => {
      await transaction.replace(book, itemOf(book, { id: 'b-1', title: 'new' }, 2))
      await transaction.remove(book, 'b-2')
      await transaction.insert(book, itemOf(book, { id: 'b-3', author: 'a-1', tags: ['t'] }))
      await transaction.insert(author, itemOf(author, { id: 'a-1', name: 'Ann' }))
      expect(titleOf(await transaction.find(book, idEquals('b-1')))).toBe('new')
      expect(await transaction.find(book, idEquals('b-2'))).toBeUndefined()
      expect(await idsOf(transaction, book, planOf())).toEqual(['b-1', 'b-3'])
      expect(await matching(transaction, book, byTitle('new'))).toEqual(['b-1'])
      expect(await matching(transaction, book, byTitle('old'))).toEqual([])
      const ann = {
        kind: 'compare',
        path: toFieldPath('author.name'),
        operator: 'equal',
        value: 'Ann',
      } as const
      expect(await matching(transaction, book, ann)).toEqual(['b-3'])
      const inverse = {
        kind: 'members',
        path: toFieldPath('books'),
        quantity: 'any',
        values: ['b-2', 'b-3'],
      } as const
      expect(await matching(transaction, author, inverse)).toEqual(['a-1'])
      const page = await transaction.page(
        book,
        planOf(always, [], { kind: 'offset', offset: 1, limit: 1 }),
      )
      expect(page.entries.map(({ id }) => id)).toEqual(['b-3'])
      await transaction.remove(book, 'b-3')
      expect(await transaction.insert(book, itemOf(book, { id: 'b-3' }))).toMatchObject({
        kind: 'written',
      })
      expect(await transaction.insert(book, itemOf(book, { id: 'b-2' }))).toMatchObject({
        kind: 'written',
      })
    })
    expect(await idsOf(store, book, planOf())).toEqual(['b-1', 'b-2', 'b-3'])
    expect(
      await matching(store, book, {
        kind: 'compare',
        path: toFieldPath('author'),
        operator: 'equal',
        value: null,
      }),
    ).toHaveLength(3)
  })

  suite.alone(
    'lists many items inside a work, which may write between the batches',
    async (store) => {
      const ids = Array.from({ length: 1_000 }, (_, index) => `b-${1_000 + index}`)
      await store.write(async (transaction) => {
        for (const id of ids) await transaction.insert(book, itemOf(book, { id }))
        const seen: string[] = []
        for await (const batch of transaction.list(book, planOf())) {
          for (const { id } of batch) {
            seen.push(id)
            await transaction.replace(book, itemOf(book, { id, title: 'seen' }, 2))
          }
        }
        expect(seen).toEqual(ids)
      })
      expect(await store.count(book, byTitle('seen'))).toBe(1_000)
    },
  )

  suite.alone('shows nothing outside before a work has ended', async (store) => {
    await insert(store, book, { id: 'b-1', title: 'old' })
    const hasWritten = gate()
    const looked = gate()
    const work = store.write(async (transaction) => {
      await transaction.insert(book, itemOf(book, { id: 'b-2' }))
      await transaction.replace(book, itemOf(book, { id: 'b-1', title: 'new' }, 2))
      hasWritten.open()
      await looked.isOpen
    })
    await hasWritten.isOpen
    const ids = await idsOf(store, book, planOf())
    const item = await store.find(book, idEquals('b-1'))
    const news = await store.count(book, byTitle('new'))
    looked.open()
    await work
    expect({ ids, title: titleOf(item), news }).toEqual({ ids: ['b-1'], title: 'old', news: 0 })
    expect(await idsOf(store, book, planOf())).toEqual(['b-1', 'b-2'])
    expect(titleOf(await store.find(book, idEquals('b-1')))).toBe('new')
  })

  suite.alone('keeps every one of many works that run at once', async (store) => {
    await insert(store, book, { id: 'counter' })
    const results = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const revision = await store.write(async (transaction) => {
          await transaction.insert(author, itemOf(author, { id: `a-${index}` }))
          return increment(transaction)
        })
        expect(await store.find(author, idEquals(`a-${index}`))).toMatchObject({ id: `a-${index}` })
        return revision
      }),
    )
    expect(results.toSorted((result, other) => result - other)).toEqual(
      Array.from({ length: 200 }, (_, index) => index + 2),
    )
    expect(await store.count(author, always)).toBe(200)
    expect(pagesOf(await store.find(book, idEquals('counter')))).toBe(201)
  })

  suite.alone('lets works that name their items first write them in any order', async (store) => {
    const ids = Array.from({ length: 8 }, (_, index) => `b-${index}`)
    for (const id of ids) await insert(store, book, { id })
    await insert(store, author, { id: 'a-1' })
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.write(async (transaction) => {
          const order = index % 2 === 0 ? ids : ids.toReversed()
          const items = [
            { model: author, ids: ['a-1', 'missing'] },
            { model: book, ids: [...order, 'missing'] },
          ]
          const itemsOf = async () => {
            // What is written with other items is read to find it.
            expect(await transaction.count(author, always)).toBe(1)
            return items
          }
          // Some are under way, so that they cannot run again from their beginning.
          await transaction.locks?.lockForWrite(index % 3 === 0 ? () => items : itemsOf, index > 9)
          expect(await transaction.find(book, idEquals('missing'))).toBeUndefined()
          for (const id of order) await increment(transaction, id)
        }),
      ),
    )
    for (const id of ids) expect(pagesOf(await store.find(book, idEquals(id)))).toBe(21)
  })

  suite.alone('takes nobody down with a work that fails', async (store) => {
    await insert(store, book, { id: 'counter' })
    const settled = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) =>
        store.write(async (transaction) => {
          await increment(transaction)
          await transaction.insert(author, itemOf(author, { id: `a-${index}` }))
          if (index % 10 === 3) throw new Error(`work ${index} fails`)
        }),
      ),
    )
    const failed = settled.flatMap((entry, index) => (entry.status === 'rejected' ? [index] : []))
    expect(failed).toEqual([3, 13, 23, 33, 43, 53, 63, 73, 83, 93])
    expect(await store.count(author, always)).toBe(90)
    expect(await store.find(author, idEquals('a-13'))).toBeUndefined()
    expect(pagesOf(await store.find(book, idEquals('counter')))).toBe(91)
  })

  suite.alone('lets one of many have an id', async (store) => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        store.write((transaction) =>
          transaction.insert(book, itemOf(book, { id: 'b-1', title: `${index}` })),
        ),
      ),
    )
    expect(outcomes.filter((outcome) => outcome.kind === 'written')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome.kind === 'exists')).toHaveLength(49)
  })

  suite.alone('finishes what is under way before it closes', async (store) => {
    const works = Promise.all(Array.from({ length: 20 }, (_, index) => add(store, `b-${index}`)))
    await store.close()
    expect(await works).toHaveLength(20)
  })
}

function gate(): { readonly isOpen: Promise<void>; open(): void } {
  let open = () => {}
  const isOpen = new Promise<void>((resolve) => {
    open = resolve
  })
  return { isOpen, open }
}
