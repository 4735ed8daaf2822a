import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { ApiError } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { always } from '../../query/conditions.ts'
import type { Store } from '../../store/store.ts'
import type {
  InsertOptions,
  StoreTransaction,
  WriteOutcome,
} from '../../store/store-transaction.ts'
import type { WriteObserver } from '../../store/write-observer.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { runUnit } from './run-unit.ts'
import type { UnitOfWork } from './unit-of-work.ts'

const [book] = describeModels([model('book', { title: z.string() })])
const emma = createStoredItem(book!, { id: 'emma', title: 'Emma' }, 1)
const { createApiError } = refusalsOf(['related-not-found', 'precondition-failed'])

interface Sent {
  readonly options: readonly (InsertOptions | undefined)[]
  readonly counted: number
}

/** A store that notes what it gets, and answers in order: writes with outcomes, counts with 0. */
function fakeStore(checksWrites: boolean, ...outcomes: readonly WriteOutcome['kind'][]) {
  const sent = { options: [] as (InsertOptions | undefined)[], counted: 0 } satisfies Sent
  const left = [...outcomes]
  const transaction = {
    fastPaths: { checksWrites },
    insert: async (_: unknown, item: unknown, options?: InsertOptions) => {
      sent.options.push(options)
      return { kind: left.shift() ?? 'written', item }
    },
    count: async () => {
      sent.counted++
      return 0
    },
  } as unknown as StoreTransaction
  const store: Pick<Store, 'write'> = { write: (work) => work(transaction) }
  return { sent, store }
}

const check = (refuse: () => Promise<unknown>) => ({
  counts: [{ model: book!, condition: always, atLeast: 1 }],
  refuse,
})
const missing = async () => {
  throw createApiError('related-not-found', 'Nobody is there.')
}
const run = (store: Pick<Store, 'write'>, work: (unit: UnitOfWork) => Promise<unknown>) =>
  runUnit({ store, observers: [] }, work)
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof ApiError ? error.problems[0]!.code : String(error)),
  )

it('sends checks with the next write where the store counts with it', async () => {
  const { sent, store } = fakeStore(true)
  await run(store, async (unit) => {
    await unit.check(check(missing))
    await unit.insert(book!, emma)
    await unit.insert(book!, emma)
  })
  expect(sent.options.map((options) => options?.expects?.length)).toEqual([1, undefined])
  expect(sent.counted).toBe(0)
})

it('counts at once where the store does not, and refuses', async () => {
  const { sent, store } = fakeStore(false)
  const refused = run(store, async (unit) => {
    await unit.check(check(missing))
    throw new Error('never reached')
  })
  expect(await codeOf(refused)).toBe('related-not-found')
  expect(sent.counted).toBe(1)
})

it('refuses a write whose counts are others, and writes it where they hold by now', async () => {
  const refused = fakeStore(true, 'unmet')
  const write = (refuse: () => Promise<unknown>) => async (unit: UnitOfWork) => {
    await unit.check(check(refuse))
    return unit.insert(book!, emma)
  }
  expect(await codeOf(run(refused.store, write(missing)))).toBe('related-not-found')
  expect(refused.sent.options).toHaveLength(1)
  const passing = fakeStore(true, 'unmet', 'written')
  expect(
    await run(
      passing.store,
      write(async () => {}),
    ),
  ).toMatchObject({ kind: 'written' })
  expect(passing.sent.options.map((options) => options?.expects?.length)).toEqual([1, undefined])
})

it('counts what no write has taken along, before a later problem', async () => {
  const { sent, store } = fakeStore(true)
  const failing = (error: Error) => async (unit: UnitOfWork) => {
    await unit.check(check(missing))
    throw error
  }
  const later = createApiError('precondition-failed', 'Too late.')
  expect(await codeOf(run(store, failing(later)))).toBe('related-not-found')
  const ended = run(store, (unit) => unit.write(async (inner) => inner.check(check(missing))))
  expect(await codeOf(ended)).toBe('related-not-found')
  expect(sent.counted).toBe(2)
  const gone = fakeStore(true)
  const unreadable = check(async () => {
    throw new Error('The connection is gone.')
  })
  const lost = run(gone.store, async (unit) => {
    await unit.check(unreadable)
    throw new Error('The first error.')
  })
  expect(await codeOf(lost)).toBe('Error: The first error.')
})

it('ends with a write only if nothing of the operation, the unit or an observer follows', async () => {
  const rests = async (observers: readonly WriteObserver[], isPart = false) => {
    const { sent, store } = fakeStore(true)
    await runUnit(
      { store, observers: observers.map((observer) => () => observer) },
      async (unit) => {
        const used = isPart ? unit.forOperation(undefined) : unit
        await used.insert(book!, emma, { rest: 'nothing' })
        await used.insert(book!, emma)
      },
    )
    return sent.options.map((options) => options?.rest)
  }
  expect(await rests([])).toEqual(['nothing', 'more'])
  expect(await rests([{ isFollowed: () => true }])).toEqual(['more', 'more'])
  expect(await rests([{ isFollowed: () => false }])).toEqual(['nothing', 'more'])
  expect(await rests([], true)).toEqual(['more', 'more'])
  const logOnly = { changeOf: () => expect.fail() }
  const logging = { isFollowed: () => true, logOnly: () => logOnly }
  expect(await rests([{}, logging])).toEqual([logOnly, 'more'])
  expect(await rests([logging, { isFollowed: () => true }])).toEqual(['more', 'more'])
  expect(await rests([logging, logging])).toEqual(['more', 'more'])
  expect(await rests([logging], true)).toEqual(['more', 'more'])
})

it('calls every observer in its moments, and code after all others have seen the change', async () => {
  const calls: string[] = []
  const observer = (name: string): WriteObserver => {
    const note = (moment: string) => async () => void calls.push(`${moment} ${name}`)
    return {
      begin: note('begin'),
      beforeWrite: async () => void calls.push(`before ${name}`),
      written: note('written'),
      afterWrite: note('after'),
      beforeCommit: note('commit'),
      committed: note('committed'),
    }
  }
  const { store } = fakeStore(false)
  const observers = ['one', 'two'].map((name) => () => observer(name))
  await runUnit({ store, observers }, (unit) => unit.insert(book!, emma))
  const expected = ['begin', 'before', 'written', 'after', 'commit'].flatMap((moment) => [
    `${moment} one`,
    `${moment} two`,
  ])
  expect(calls).toEqual([...expected, 'committed two', 'committed one'])
})

it('lets observers settle before the commit, if they have put something off', async () => {
  const settle = vi.fn(async () => {})
  const settledIf = async (isUnsettled: boolean) => {
    settle.mockClear()
    const observers = [{ isUnsettled: () => isUnsettled, settle }]
    await runUnit({ store: fakeStore(false).store, observers }, async (unit) => {
      const settled = unit.settle()
      expect(settled === undefined).toBe(!isUnsettled)
      // On a busy machine it yields to the event loop before it calls the observer.
      await settled
      settle.mockClear()
    })
    return settle.mock.calls.length
  }
  expect(await settledIf(true)).toBe(1)
  expect(await settledIf(false)).toBe(0)
})
