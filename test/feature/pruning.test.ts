import { type AnyModel, field, model, rollup, toMany, toOne } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { service } from '../support/service.ts'
import { type StoreKind, stores } from '../support/stores.ts'

const Room = model('room', { name: z.string() })
const Label = model('label', { name: z.string() })
const Before = model('talk', {
  title: z.string(),
  abstract: field(z.string().optional(), { index: true }),
  secret: field(z.int().optional(), { hidden: true }),
  room: toOne('room', { optional: true }),
  labels: toMany('label'),
})
const After = model('talk', {
  title: z.string(),
  secret: field(z.int().optional(), { hidden: true }),
})

describe.each(stores)('What no model declares any more, on $name', ({ name, layout, makeData }) => {
  const start = async <T>(
    newStore: Awaited<ReturnType<StoreKind['makeData']>>,
    models: readonly AnyModel[],
    work: (started: ReturnType<typeof service>) => Promise<T>,
  ): Promise<T> => {
    const started = service(newStore(), models)
    try {
      await started.router.open()
      return await work(started)
    } finally {
      await started.router.close()
    }
  }
  const data = async () => {
    const newStore = await makeData()
    await start(newStore, [Before, Room, Label], async ({ router }) => {
      await router.load(Room, [{ id: 'r', name: 'R' }])
      await router.load(Label, [{ id: 'l', name: 'L' }])
      await router.load(Before, [
        { id: 't', title: 'T', abstract: 'long', secret: 1, room: 'r', labels: ['l'] },
        { id: 'u', title: 'U', secret: 2 },
      ])
    })
    return newStore
  }
  const described = async (store: ReturnType<Awaited<ReturnType<StoreKind['makeData']>>>) => {
    const { describeModels } = await import('resourcery/store')
    return { store, models: describeModels([After, Room]) }
  }

  it.skipIf(name === 'the memory store')('is counted, and dropped on demand', async () => {
    const newStore = await data()
    await start(newStore, [After, Room], async () => undefined)
    const { store, models } = await described(newStore())
    const members = (
      layout === 'tables'
        ? [
            { kind: 'member', name: 'abstract', owner: 'talks', itemCount: 1 },
            { kind: 'member', name: 'room_id', owner: 'talks', itemCount: 1 },
            { kind: 'member', name: 'talks_labels', owner: 'talks_labels', itemCount: 1 },
          ]
        : [
            { kind: 'member', name: 'abstract', owner: 'talks', itemCount: 1 },
            { kind: 'member', name: 'labels', owner: 'talks', itemCount: 2 },
            { kind: 'member', name: 'room', owner: 'talks', itemCount: 2 },
          ]
    ) as unknown[]
    const expected = [...members, { kind: 'model', name: 'labels', itemCount: 1 }]
    const order = (list: readonly unknown[]) => list.map((part) => JSON.stringify(part)).sort()
    expect(order(await store.admin!.prune!(models, { drops: false }))).toEqual(order(expected))
    expect(order(await store.admin!.prune!(models, { drops: false }))).toEqual(order(expected))
    expect(order(await store.admin!.prune!(models, { drops: true }))).toEqual(order(expected))
    expect(await store.admin!.prune!(models, { drops: true })).toEqual([])
    await store.close()
    await start(newStore, [After, Room], async ({ router }) => {
      expect(await router.plan()).toEqual([])
      expect(await router.items(After).get('t')).toMatchObject({ title: 'T', secret: 1 })
    })
    await start(newStore, [Before, Room, Label], async ({ api, router }) => {
      expect((await api.get('/talks/t')).at('/talk')).toEqual({
        id: 't',
        title: 'T',
        room: null,
        labels: [],
      })
      expect((await api.get('/labels')).ids('labels')).toEqual([])
      expect((await api.get('/talks?filter[labels][any]=l')).ids('talks')).toEqual([])
      expect(await router.query(Before).where('secret').greaterThan(0).size()).toBe(2)
    })
  })

  it.skipIf(name === 'the memory store')('is not dropped before a start', async () => {
    const newStore = await data()
    if (layout === 'tables') return
    const { store, models } = await described(newStore())
    await expect(store.admin!.prune!(models, { drops: true })).rejects.toThrow(
      'Start the service first, and then prune.',
    )
    await store.close()
  })

  it.skipIf(name === 'the memory store')(
    'is not what the service keeps for features of another process',
    async () => {
      const newStore = await makeData()
      const Review = (options: object) =>
        model('review', { text: z.string(), room: toOne('room') }, options)
      const RatedRoom = model('room', {
        name: z.string(),
        reviews: toMany('review', { inverse: 'room' }),
        reviewCount: rollup('reviews', { count: true }),
      })
      const KeptReview = Review({ history: true, trash: true })
      const work = async (use: (started: ReturnType<typeof service>) => Promise<unknown>) => {
        const worker = service(newStore(), [RatedRoom, KeptReview], { changes: true })
        worker.router.consume('mail', { models: [KeptReview] }, () => undefined)
        try {
          await worker.router.open()
          await use(worker)
        } finally {
          await worker.router.close()
        }
      }
      await work(async ({ api }) => {
        await api.post('/rooms', { room: { id: 'r', name: 'R' } })
        await api.post('/reviews', { review: { id: 'a', text: 'A', room: 'r' } })
        await api.delete('/reviews/a')
      })
      const models = [Room, Review({})]
      await start(newStore, models, async () => undefined)
      const web = service(newStore(), models).router
      const counts = { kind: 'member', owner: 'rooms', itemCount: 1 }
      expect(await web.prune({ drops: true })).toEqual([expect.objectContaining(counts)])
      expect(await web.plan()).toEqual([])
      await web.close()
      await work(async ({ api }) => {
        const { body } = await api.get('/reviews/trash')
        expect(body).toMatchObject({ trash: [{ item: { id: 'a', text: 'A' } }] })
      })
    },
  )
})
