import { type Change, createRouter, model, type Router, type Store } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { stores, transactionsEnded } from '../support/stores.ts'

class Booking extends model('booking', { seat: z.string() }) {
  get label() {
    return `Seat ${this.seat}`
  }
}
class Mail extends model('mail', { text: z.string() }) {}
class Note extends model('note', { text: z.string() }, { changes: false }) {}

const pauses = { pauseMs: 1, maxPauseMs: 5 }

interface TestRouter {
  readonly router: Router
  readonly errors: string[]
}

function routerOver(store: Store): TestRouter {
  const errors: string[] = []
  const router = createRouter({
    policy: rest(),
    store,
    changes: true,
    onError: (error) => void errors.push((error as Error).message),
  })
  for (const each of [Booking, Mail, Note]) router.prepare(each)
  onTestFinished(() => router.close())
  return { router, errors }
}

const until = (condition: () => unknown) =>
  vi.waitFor(() => expect(condition()).toBeTruthy(), { timeout: 15_000, interval: 5 })
const seat = (id: string) => ({ id, seat: id })
const idsOf = (changes: readonly { readonly id: string }[]) => changes.map(({ id }) => id)

describe.each(stores)('A consumer on $name', ({ make, makeData }) => {
  it('gets changes of its models after the router has opened, as code sees items', async () => {
    const { router } = routerOver(await make())
    const given: Change<typeof Booking>[] = []
    router.consume('c', { models: [Booking] }, (changes) => void given.push(...changes))
    await router.items(Booking).create(seat('before'))
    await transactionsEnded()
    await router.open()
    const bookings = router.items(Booking)
    await bookings.create(seat('a'))
    await router.items(Mail).create({ text: 'x' })
    await bookings.update('a', { seat: 'b' })
    await bookings.delete('a')
    await until(() => given.length === 3)
    const [created, updated, deleted] = given
    expect(given.map(({ kind }) => kind)).toEqual(['create', 'update', 'delete'])
    expect(created).toMatchObject({
      model: 'booking',
      id: 'a',
      before: undefined,
      caller: undefined,
    })
    expect(created!.after?.label).toBe('Seat a')
    expect(created!.time.getTime()).toBeGreaterThan(Date.now() - 60_000)
    expect(updated).toMatchObject({ before: { seat: 'a' }, after: { seat: 'b' } })
    expect(deleted).toMatchObject({ before: { seat: 'b' }, after: undefined })
    expect(new Set(given.map(({ key }) => key)).size).toBe(3)
  })

  it("begins at the start of what is kept with from: 'start', and goes on where it was", async () => {
    const start = await makeData()
    const first = routerOver(start())
    const given: string[] = []
    const consume = ({ router }: TestRouter) =>
      router.consume('c', { models: [Booking], from: 'start' }, (changes) => {
        given.push(...idsOf(changes))
      })
    consume(first)
    await first.router.items(Booking).createMany([seat('a'), seat('b')])
    await first.router.open()
    await until(() => given.length === 2)
    await first.router.close()

    const second = routerOver(start())
    consume(second)
    await second.router.items(Booking).create(seat('c'))
    await second.router.open()
    await until(() => given.length === 3)
    expect(given).toEqual(['a', 'b', 'c'])
    expect([...first.errors, ...second.errors]).toEqual([])
  })

  it('gets changes of a batch that fails one by one, and repeats the one that fails', async () => {
    const { router, errors } = routerOver(await make())
    const calls: string[][] = []
    router.consume('c', { models: [Booking], from: 'start', ...pauses }, (changes) => {
      calls.push(idsOf(changes))
      if (idsOf(changes).includes('b') && calls.length < 5) throw new Error('no mail server')
    })
    await router.items(Booking).createMany(['a', 'b', 'c'].map(seat))
    await router.open()
    await until(() => calls.at(-1)?.[0] === 'c')
    expect(calls).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['b'], ['b'], ['c']])
    expect(errors).toEqual([
      "The consumer 'c' failed at 3 changes together, and gets them one by one: no mail server",
      "The consumer 'c' failed at the create of the booking 'b', after 1 of 10 attempts: no mail server",
      "The consumer 'c' failed at the create of the booking 'b', after 2 of 10 attempts: no mail server",
    ])
  })

  it('puts a change aside after its attempts, with later ones of the item, and repeats them', async () => {
    const { router, errors } = routerOver(await make())
    const done: string[] = []
    let isBroken = true
    router.consume('c', { models: [Booking], from: 'start', attempts: 2, ...pauses }, (changes) => {
      if (isBroken && idsOf(changes).includes('bad')) throw new Error('bad address')
      done.push(...changes.map(({ id, kind }) => `${kind} ${id}`))
    })
    const bookings = router.items(Booking)
    await bookings.createMany(['bad', 'good'].map(seat))
    await bookings.update('bad', { seat: 'other' })
    await bookings.create(seat('last'))
    await router.open()
    await until(() => done.includes('create last'))
    expect(done).toEqual(['create good', 'create last'])
    expect(errors.at(-1)).toBe(
      "The consumer 'c' failed at the create of the booking 'bad', after all of 2 attempts. The change is put aside, and later changes of the item wait behind it: 'resourcery consumers <module> --retry c' repeats them: bad address",
    )
    await vi.waitFor(async () => expect((await router.consumers())[0]?.pendingCount).toBe(0))
    const [report] = await router.consumers()
    expect(report).toMatchObject({
      name: 'c',
      isRegistered: true,
      pendingCount: 0,
      lastError: { message: 'bad address' },
      aside: [
        { kind: 'create', model: 'booking', id: 'bad', attempts: 2, error: 'bad address' },
        { kind: 'update', model: 'booking', id: 'bad', attempts: 0, error: undefined },
      ],
    })
    expect(report?.owner).toMatch(/ \d+$/)

    await router.repeatAside('c')
    await until(() => errors.at(-1)?.includes('stays put aside'))
    isBroken = false
    await router.repeatAside('c')
    await until(() => done.length === 4)
    expect(done.slice(2)).toEqual(['create bad', 'update bad'])
    await bookings.delete('bad')
    await until(() => done.length === 5)
    expect((await router.consumers())[0]?.aside).toEqual([])
  })

  it('stores what it writes with its position, or not at all', async () => {
    const { router } = routerOver(await make())
    let failures = 0
    const options = { models: [Booking], from: 'start', inTransaction: true, ...pauses } as const
    router.consume('c', options, async (changes, { items }) => {
      for (const { id } of changes) await items(Mail).create({ text: id })
      if (failures++ < 4) throw new Error('after writing')
    })
    await router.items(Booking).createMany(['a', 'b', 'c'].map(seat))
    await router.open()
    const texts = async () => (await router.items(Mail).all()).map(({ text }) => text).toSorted()
    await vi.waitFor(async () => expect(await texts()).toEqual(['a', 'b', 'c']), 15_000)
    expect(failures).toBeGreaterThan(4)
  })

  it('has nothing put aside of an item that was erased, and gets its later changes', async () => {
    const store = await make()
    const { router } = routerOver(store)
    const { router: other } = routerOver(store)
    const done: string[] = []
    let isBroken = true
    router.consume('c', { models: [Booking], from: 'start', attempts: 1, ...pauses }, (changes) => {
      if (isBroken) throw new Error('broken')
      done.push(...changes.map(({ kind, id }) => `${kind} ${id}`))
    })
    await router.items(Booking).createMany([seat('erased'), seat('kept')])
    await router.open()
    await vi.waitFor(async () => expect((await router.consumers())[0]?.aside).toHaveLength(2))
    // By a router without consumers, such as one of another policy.
    expect(await other.erase(Booking, 'erased')).toBe(2)
    isBroken = false
    expect((await router.consumers())[0]?.aside).toMatchObject([{ id: 'kept' }])
    await router.items(Booking).update('erased', { seat: 'other' })
    await router.items(Booking).update('kept', { seat: 'other' })
    await vi.waitFor(async () => expect((await router.consumers())[0]?.aside).toHaveLength(2))
    expect(done).toEqual(['update erased'])
  })

  it('stores what it has done when another router over the store closes beside it', async () => {
    const start = await makeData()
    const store = start()
    const { router, errors } = routerOver(store)
    const { router: other } = routerOver(store)
    const done: string[] = []
    let hasBegun = false
    const consume = (each: Router) =>
      each.consume('c', { models: [Booking] }, async (changes) => {
        hasBegun = true
        await new Promise((resolve) => setTimeout(resolve, 100))
        done.push(...idsOf(changes))
      })
    consume(router)
    await other.open()
    await router.open()
    await router.items(Booking).create(seat('a'))
    await until(() => hasBegun)
    await Promise.all([other.close(), router.close()])
    expect(done).toEqual(['a'])
    const again = routerOver(start())
    consume(again.router)
    await again.router.open()
    await again.router.items(Booking).create(seat('b'))
    await until(() => done.includes('b'))
    expect([done, errors, again.errors]).toEqual([['a', 'b'], [], []])
  })

  it('aborts the signal when the router closes, and waits for the function', async () => {
    const { router, errors } = routerOver(await make())
    const events: string[] = []
    router.consume('c', { models: [Booking] }, async (_, { signal }) => {
      events.push('begun')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await new Promise((resolve) => setTimeout(resolve, 50))
      events.push('done')
    })
    await router.open()
    await router.items(Booking).create(seat('a'))
    await until(() => events.length === 1)
    await router.close()
    expect(events).toEqual(['begun', 'done'])
    expect(errors).toEqual([])
  })
})

describe('Registering consumers', () => {
  const consume = () => undefined

  it('refuses all that is wrong at once', async () => {
    const { router } = routerOver(await stores[0]!.make())
    const options = { models: [], from: 'begin', attempts: 0, retries: 3 }
    expect(() => router.consume('a b', options as never, 1 as never)).toThrow(
      [
        "consume() expects a name of 1 to 64 of the characters A-Z a-z 0-9 . _ - that begins with a letter or a digit; got 'a b'.",
        "Unknown option 'retries' of consume('a b'); expected one of models, from, maxChanges, inTransaction, attempts, pauseMs, maxPauseMs.",
        "The option 'from' of consume('a b') must be 'now' or 'start'; got 'begin'.",
        "The option 'attempts' of consume('a b') must be an integer from 1 to 1000; got 0.",
        "The option 'models' of consume('a b') must be an array with at least one model.",
        "consume('a b') expects a function that gets changes as its third argument.",
      ].join('\n'),
    )
  })

  it('refuses a name that is used', async () => {
    const { router } = routerOver(await stores[0]!.make())
    router.consume('twice', { models: [Booking] }, consume)
    expect(() => router.consume('twice', { models: [Booking] }, consume)).toThrow(
      "Two consumers of the router have the name 'twice'.",
    )
  })

  it('refuses models that are not prepared, or not logged', async () => {
    const { router } = routerOver(await stores[0]!.make())
    class Other extends model('other', {}) {}
    router.consume('c', { models: [Booking, Other, Note] }, consume)
    await expect(router.open()).rejects.toThrow(
      [
        "The consumer 'c' gets changes of the model 'other', which is not prepared on this router.",
        "The consumer 'c' gets changes of the model 'note', which are not logged. Set the option 'changes' of the router or the model.",
      ].join('\n'),
    )
  })
})
