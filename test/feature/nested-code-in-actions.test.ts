import {
  action,
  createRouter,
  type Items,
  type ItemsOf,
  model,
  type Router,
  refuse,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import type { ActionDetails } from 'resourcery/types'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Note = model('note', { text: z.string() })

type Notes = Items<typeof Note>

/** Each of them writes a note. */
const steps = ['items', 'router.items', 'router.items as', 'router.transaction', 'nested'] as const
type Step = (typeof steps)[number]

const orders: readonly (readonly Step[])[] = steps.flatMap((one) => [
  [one],
  ...steps.flatMap((two) => [[one, two], ...steps.map((three) => [one, two, three] as const)]),
])

let runSteps: (items: ItemsOf) => Promise<void>

class Talk extends model('talk', { title: z.string(), calls: z.int().default(0) }) {
  async later({ items }: ActionDetails) {
    this.calls++
    await runSteps(items)
  }

  /** Returns a promise, which nobody knows before the first call. */
  soon({ items }: ActionDetails): unknown {
    this.calls++
    return runSteps(items)
  }

  static {
    action(this, 'later')
    action(this, 'soon')
  }
}

describe.each(stores)('Items of the router in an action, on $name', ({ make }) => {
  let router: Router
  let api: Client
  let context: Parameters<Router['items']>[1]
  let isRefused: boolean

  const write = (notes: Notes, text: string) => notes.create({ text })

  const run = async (step: Step, items: ItemsOf, text: string): Promise<unknown> => {
    switch (step) {
      case 'items':
        return write(items(Note), text)
      case 'router.items':
        return write(router.items(Note), text)
      case 'router.items as':
        return write(router.items(Note, context), text)
      case 'router.transaction':
        return router.transaction(async (own) => {
          await write(own(Note), text)
          await router.items(Note, context).update((await own(Note).first())!.id, {})
        })
      case 'nested':
        return router.transaction(async () => {
          await router.transaction((own) => write(own(Note), text), context)
          await router.items(Talk).callOperation('other', 'simple')
        })
    }
  }

  beforeEach(async () => {
    isRefused = false
    router = createRouter({ policy: rest(), store: await make(), timeouts: { actionMs: 8_000 } })
    router.prepare(Note)
    router
      .prepare(Talk)
      .use({
        request: {
          any: (requested) => {
            context = { as: requested }
          },
        },
      })
      .itemOperation('call', async ({ item, items }) => {
        item.calls++
        await runSteps(items)
      })
      .itemOperation('simple', ({ item }) => {
        item.calls++
      })
      .itemOperation('forget', () => {
        void router.items(Note).create({ text: 'nobody waits' })
      })
      .itemOperation('read', async ({ item }) => {
        item.calls = await router.items(Note).count()
        await other
      })
    api = client(router)
    await router.items(Talk).create({ id: 't', title: 'Types' })
    await router.items(Talk).create({ id: 'other', title: 'Other' })
  })
  let other: Promise<unknown>

  it.each(['later', 'soon', 'call'])(
    "take part in its transaction in any order, in '%s'",
    async (name) => {
      for (const [index, order] of orders.entries()) {
        isRefused = index % 5 === 4
        runSteps = async (items) => {
          for (const [position, step] of order.entries()) await run(step, items, `${position}`)
          if (isRefused) refuse('conflict', 'No.')
        }
        const before = await router.items(Note).count()
        const { status } = await api.post(`/talks/t/${name}`)
        expect([order, status]).toEqual([order, isRefused ? 409 : 200])
        const written = (await router.items(Note).count()) - before
        expect([order, written]).toEqual([order, isRefused ? 0 : order.length])
      }
    },
    120_000,
  )

  it('are refused where the action does not wait for them', async () => {
    expect((await api.post('/talks/t/forget')).status).toBe(500)
    expect(await router.items(Note).count()).toBe(0)
    expect((await api.patch('/talks/t', { talk: { title: 'Free' } })).status).toBe(200)
  })

  it('block no other writers while the action has only read', async () => {
    let release = (): void => undefined
    other = new Promise((resolve) => {
      release = () => resolve(undefined)
    })
    const reading = api.post('/talks/t/read')
    expect((await api.post('/notes', { note: { text: 'meanwhile' } })).status).toBe(201)
    release()
    expect((await reading).status).toBe(200)
  })

  it('are refused together with load() inside a transaction, which would wait for itself', async () => {
    const loading = router.transaction(async (items) => {
      await items(Note).create({ text: 'first' })
      await router.load(Note, [{ text: 'second' }])
    })
    await expect(loading).rejects.toThrow('load() begins transactions of its own')
    expect(await router.items(Note).count()).toBe(0)
  })
})
