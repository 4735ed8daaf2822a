import { expect, vi } from 'vitest'
import type { ChangeEntry, ChangeLog, LoggedChange, Store, StoredItem } from '../../store/public.ts'
import type { Suite } from './harness.ts'
import { book, itemOf, models } from './models.ts'

const timeMs = Date.UTC(2026, 0, 1)

/** The log of a store that has one. Others skip this part. */
function logOf({ changes }: Store): ChangeLog {
  expect(changes, 'the store has no log of changes').toBeDefined()
  return changes!
}

const emma = itemOf(book, { id: 'b-1', title: 'Emma "1815"\n' })

function change(id: string, values: Partial<LoggedChange> = {}): LoggedChange {
  const shared = { model: 'book', id, timeMs, caller: null, before: null }
  return { kind: 'create', ...shared, after: { ...emma, id }, ...values }
}

/** Adds changes in a transaction that also writes an item. */
async function add(store: Store, ...changes: readonly LoggedChange[]): Promise<void> {
  await store.write(async (transaction) => {
    const [first] = changes
    await transaction.insert(book, itemOf(book, { id: `written with ${first!.id}` }))
    await transaction.changes!.add(changes)
  })
  await untilRead(store, changes.at(-1)!)
}

/** Transactions of others may delay what is read, also those that write other databases. */
async function untilRead(store: Store, change: LoggedChange): Promise<void> {
  const isChange = (entry: ChangeEntry) =>
    entry.kind === change.kind && entry.id === change.id && entry.model === change.model
  while (!(await entriesAfter(logOf(store), undefined, 1_000)).some(isChange))
    await new Promise((resolve) => setTimeout(resolve, 5))
}

async function entriesAfter(
  log: ChangeLog,
  after: string | undefined,
  limit = 100,
): Promise<readonly ChangeEntry[]> {
  const read = await log.read(after, limit)
  expect(read.kind).toBe('changes')
  return read.kind === 'changes' ? read.entries : []
}

/** Others may keep the machine or the transactions of a server busy for longer than a moment. */
const waiting = { timeout: 20_000, interval: 10 }

const idsOf = (entries: readonly ChangeEntry[]) =>
  entries.map((entry) => (entry.kind === 'erased' ? 'erased' : entry.id))

export function changes(suite: Suite): void {
  const alone = (title: string, body: (store: Store, log: ChangeLog) => Promise<void>) =>
    suite.alone(title, (store) => body(store, logOf(store)), models, { keepsChanges: true })

  alone(
    'keeps changes as they were added, with the writes of their transaction',
    async (store, log) => {
      expect(log.areKept()).toBe(true)
      const begin = await log.end()
      const odd: StoredItem = {
        ...emma,
        text: '{"id":"b-1","title":"\\u0000 \u{1f600} \'quoted\' \\n"}',
        hiddenText: '{"pin":"4711 ü"}',
        hash: null,
        revision: 7,
        relationsOffset: 12,
      }
      const added = [
        change('b-1'),
        change('b-1', { kind: 'update', caller: 'ann', before: emma, after: odd }),
        change('b-1', { kind: 'delete', before: odd, after: null }),
      ]
      await add(store, ...added)
      const entries = await entriesAfter(log, begin)
      expect(entries).toMatchObject(added)
      expect(new Set(entries.map(({ transaction }) => transaction)).size).toBe(1)
      expect(new Set(entries.map(({ position }) => position)).size).toBe(3)
      await add(store, change('b-2'))
      const [later, ...others] = await entriesAfter(log, entries.at(-1)!.position)
      expect(later).toMatchObject(change('b-2'))
      expect(later!.transaction).not.toBe(entries[0]!.transaction)
      expect(others).toEqual([])
      expect(await entriesAfter(log, undefined)).toEqual([...entries, later])
    },
  )

  alone('keeps nothing of a transaction that is rolled back', async (store, log) => {
    const failing = store.write(async (transaction) => {
      await transaction.changes!.add([change('lost')])
      throw new Error('refused')
    })
    // Together, as a store may commit them in one group.
    const all = await Promise.allSettled([
      add(store, change('b-1')),
      failing,
      add(store, change('b-2')),
    ])
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(idsOf(await entriesAfter(log, undefined)).toSorted()).toEqual(['b-1', 'b-2'])
  })

  alone('is read as far as it is committed, whatever other transactions do', async (store, log) => {
    const begin = await log.end()
    await store.write((transaction) => transaction.changes!.add([change('b-1'), change('b-2')]))
    const read = await log.read(begin, 10, 'committed')
    if (read.kind !== 'changes') throw new Error(read.kind)
    expect([idsOf(read.entries), read.isEnd]).toEqual([['b-1', 'b-2'], true])
    await untilRead(store, change('b-2'))
    expect(idsOf(await entriesAfter(log, begin))).toEqual(['b-1', 'b-2'])
  })

  alone('is read in pages, from any position', async (store, log) => {
    const begin = await log.end()
    const ids = Array.from({ length: 25 }, (_, index) => `b-${index}`)
    for (let index = 0; index < 25; index += 5)
      await add(store, ...ids.slice(index, index + 5).map((id) => change(id)))
    const read: string[] = []
    let after = begin
    for (let isEnd = false; !isEnd; ) {
      const page = await log.read(after, 4)
      if (page.kind !== 'changes') throw new Error(page.kind)
      read.push(...idsOf(page.entries))
      after = page.next
      isEnd = page.isEnd
    }
    expect(read).toEqual(ids)
    expect(await log.read(after, 4)).toEqual({
      kind: 'changes',
      entries: [],
      next: after,
      isEnd: true,
    })
    expect(await entriesAfter(log, await log.end())).toEqual([])
    for (const [index, { position }] of (await entriesAfter(log, begin)).entries())
      expect(idsOf(await entriesAfter(log, position, 1))).toEqual(ids.slice(index + 1, index + 2))
  })

  alone(
    'gives changes of transactions side by side once each, those of one together',
    async (store, log) => {
      let after = await log.end()
      const read: ChangeEntry[] = []
      const writes = Array.from({ length: 40 }, (_, index) =>
        add(store, ...[0, 1, 2].map((part) => change(`b-${index}-${part}`))),
      )
      const readOn = async () => {
        // A read may need no turn of the event loop, and writes do.
        await new Promise((resolve) => setImmediate(resolve))
        const page = await log.read(after, 7)
        if (page.kind !== 'changes') throw new Error(page.kind)
        read.push(...page.entries)
        after = page.next
        return page
      }
      let isWriting = true
      const written = Promise.all(writes).finally(() => {
        isWriting = false
      })
      while (isWriting) await readOn()
      await written
      while (read.length < 3 * writes.length) await readOn()
      expect(idsOf(read).toSorted()).toEqual(
        writes.flatMap((_, index) => [0, 1, 2].map((part) => `b-${index}-${part}`)).toSorted(),
      )
      for (let index = 0; index < read.length; index += 3)
        expect(
          new Set(read.slice(index, index + 3).map(({ transaction }) => transaction)).size,
        ).toBe(1)
    },
  )

  alone('calls those that watch it after commits with changes', async (store, log) => {
    let calls = 0
    const begin = await log.end()
    const read = new Set<string>()
    const listener = async () => {
      calls++
      for (const { position } of await entriesAfter(log, begin)) read.add(position)
    }
    const stops = [log.watch(() => void listener()), log.watch(() => void listener())]
    await store.write((transaction) => transaction.changes!.add([change('b-1')]))
    await vi.waitFor(() => expect(read.size).toBe(1), waiting)
    stops[0]!()
    stops[0]!()
    await Promise.all(
      ['b-2', 'b-3'].map((id) =>
        store.write((transaction) => transaction.changes!.add([change(id)])),
      ),
    )
    await vi.waitFor(() => expect(read.size).toBe(3), waiting)
    stops[1]!()
    const before = calls
    await add(store, change('b-4'))
    expect(calls).toBe(before)
  })

  alone('removes the oldest changes, and refuses positions before them', async (store, log) => {
    const begin = await log.end()
    for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries())
      await add(store, change(id, { timeMs: timeMs + index }))
    const all = await entriesAfter(log, begin)
    const keepAll = { beforeMs: 0, maxEntries: 100 }
    expect(await log.removeOldest(keepAll, 10)).toBe(0)
    expect(await log.removeOldest({ ...keepAll, beforeMs: timeMs + 2 }, 1)).toBe(1)
    expect(await log.removeOldest({ ...keepAll, beforeMs: timeMs + 2 }, 10)).toBe(1)
    expect(await log.removeOldest({ ...keepAll, beforeMs: timeMs + 2 }, 10)).toBe(0)
    expect(await log.read(begin, 10)).toEqual({ kind: 'expired' })
    expect(await log.read(all[0]!.position, 10)).toEqual({ kind: 'expired' })
    expect(idsOf(await entriesAfter(log, all[1]!.position))).toEqual(['c', 'd', 'e'])
    expect(await log.removeOldest({ ...keepAll, maxEntries: 1 }, 10)).toBe(2)
    expect(await log.read(all[2]!.position, 10)).toEqual({ kind: 'expired' })
    expect(idsOf(await entriesAfter(log, undefined))).toEqual(['e'])
    expect(await log.removeOldest({ ...keepAll, maxEntries: 0 }, 10)).toBe(1)
    expect(await entriesAfter(log, undefined)).toEqual([])
    const end = await log.end()
    await add(store, change('f'))
    expect(idsOf(await entriesAfter(log, all[4]!.position))).toEqual(['f'])
    expect(idsOf(await entriesAfter(log, end))).toEqual(['f'])
  })

  alone('refuses positions that are malformed or of another log', async (store, log) => {
    await add(store, change('b-1'))
    const [{ position }] = (await entriesAfter(log, undefined)) as [ChangeEntry]
    const [name, ...numbers] = position.split('.')
    const foreign = [name!.replaceAll(/[0-9a-f]/g, '0'), ...numbers].join('.')
    const later = position.replace(/\.[^.]+/g, '.99999999')
    for (const wrong of [
      '',
      'x',
      '1.2',
      `${position}.1`,
      ` ${position}`,
      `${position}é`,
      foreign,
      later,
      position.replace(/\.[^.]+/g, '.zzzzzzzzzzzzz'),
      position.replace(/[^.]+$/, 'zzzzzzzzzzzzz'),
    ])
      expect([wrong, await log.read(wrong, 10)]).toEqual([wrong, { kind: 'unknown' }])
  })

  alone('erases what it keeps of an item, and keeps that something changed', async (store, log) => {
    await add(store, change('b-1'), change('b-2'))
    await add(store, change('b-1', { model: 'author' }))
    await add(store, change('b-1', { kind: 'delete', before: emma, after: null, caller: 'ann' }))
    expect(await log.erase('book', 'b-1')).toBe(2)
    expect(await log.erase('book', 'b-1')).toBe(0)
    const entries = await entriesAfter(log, undefined)
    expect(idsOf(entries)).toEqual(['erased', 'b-2', 'b-1', 'erased'])
    const { position, transaction, ...erased } = entries[3]!
    expect(erased).toEqual({ kind: 'erased', model: 'book', timeMs })
  })

  alone('erases old changes of models, up to the last one that is older', async (store, log) => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    for (const [index, id] of ids.entries()) {
      // The clock of the process that wrote the second one was ahead.
      const model = index === 2 ? 'author' : 'book'
      await add(store, change(id, { model, timeMs: index === 1 ? timeMs + 100 : timeMs + index }))
    }
    const old = { models: ['book', 'movie'], beforeMs: timeMs + 4, after: undefined }
    const first = await log.eraseOld(old, 3)
    expect(first).toMatchObject({ erased: 2, isEnd: false })
    const second = await log.eraseOld({ ...old, after: first.next }, 3)
    expect(second).toMatchObject({ erased: 1, isEnd: true })
    expect(await log.eraseOld({ ...old, after: second.next }, 3)).toEqual({
      erased: 0,
      next: second.next,
      isEnd: true,
    })
    const entries = await entriesAfter(log, undefined)
    expect(idsOf(entries)).toEqual(['erased', 'erased', 'c', 'erased', 'e', 'f'])
    const later = { ...old, beforeMs: timeMs + 1_000, after: second.next }
    expect(await log.eraseOld(later, 3)).toMatchObject({ erased: 2, isEnd: true })
    // Where a position says nothing, it begins again, and nothing is erased twice.
    expect(await log.eraseOld({ ...later, after: 'x' }, 100)).toMatchObject({ erased: 0 })
    expect(idsOf(await entriesAfter(log, undefined))).toHaveLength(6)
  })

  alone('erases an item among many others', async (store, log) => {
    for (let start = 0; start < 4_500; start += 1_500)
      await add(
        store,
        ...Array.from({ length: 1_500 }, (_, index) => change(`b-${(start + index) % 1_000}`)),
      )
    expect(await log.erase('book', 'b-7')).toBe(5)
    const entries = await entriesAfter(log, undefined, 5_000)
    expect(entries.filter(({ kind }) => kind === 'erased')).toHaveLength(5)
  })

  alone('ends all positions where it is renamed', async (store, log) => {
    await add(store, change('b-1'))
    const end = await log.end()
    await log.rename()
    expect(await log.read(end, 10)).toEqual({ kind: 'unknown' })
    expect(idsOf(await entriesAfter(log, undefined))).toEqual(['b-1'])
    const renamed = await log.end()
    await add(store, change('b-2'))
    expect(idsOf(await entriesAfter(log, renamed))).toEqual(['b-2'])
  })

  alone('goes on when the store is opened again', async (store, log) => {
    await add(store, change('b-1'))
    const end = await log.end()
    await store.open(models, { keepsChanges: true })
    await add(store, change('b-2'))
    expect(idsOf(await entriesAfter(logOf(store), end))).toEqual(['b-2'])
    expect(idsOf(await entriesAfter(logOf(store), undefined))).toEqual(['b-1', 'b-2'])
  })
}
