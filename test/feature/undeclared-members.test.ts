import { type AnyModel, action, field, model, toMany, toOne } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { service } from '../support/service.ts'
import { type StoreKind, stores } from '../support/stores.ts'

const Room = model('room', { name: z.string() })
const Before = model('talk', {
  title: z.string(),
  abstract: z.string().optional(),
  secret: field(z.string().optional(), { hidden: true }),
  level: field(z.string().optional(), { hidden: true }),
  room: toOne('room', { optional: true }),
  others: toMany('talk'),
})

class After extends model('talk', {
  title: z.string(),
  level: field(z.string().optional(), { hidden: true }),
  room: toOne('room', { optional: true }),
  rating: z.int().optional(),
}) {
  rate(): void {
    this.rating = 3
    this.level = 'new'
  }

  static {
    action(this, 'rate')
  }
}

describe.each(stores)('What a model does not declare any more, on $name', ({ makeData }) => {
  const item = {
    id: 't',
    title: 'T',
    abstract: 'long',
    secret: 's',
    level: 'old',
    room: 'r',
    others: ['t'],
  }
  const start = async <T>(
    newStore: Awaited<ReturnType<StoreKind['makeData']>>,
    talk: AnyModel,
    work: (started: ReturnType<typeof service>) => Promise<T>,
  ): Promise<T> => {
    const started = service(newStore(), [talk, Room])
    try {
      return await work(started)
    } finally {
      await started.router.close()
    }
  }
  const data = async () => {
    const newStore = await makeData()
    await start(newStore, Before, async ({ router }) => {
      await router.load(Room, [{ id: 'r', name: 'R' }])
      await router.load(Before, [item])
    })
    return newStore
  }

  it.each([
    ['PATCH', ({ api }) => api.patch('/talks/t', { talk: { title: 'U' } })],
    ['PUT', ({ api }) => api.put('/talks/t', { talk: { title: 'U', room: null } })],
    ['an action', ({ api }) => api.post('/talks/t/rate')],
    ['code', ({ router }) => router.items(After).update('t', { rating: 1 })],
    [
      'a deleted related item',
      async ({ api }) => {
        const { status } = await api.delete('/rooms/r')
        expect(status).toBe(204)
      },
    ],
  ] satisfies [string, (started: ReturnType<typeof service>) => Promise<unknown>][])(
    'is kept by %s',
    async (_, write) => {
      const newStore = await data()
      const changed = await start(newStore, After, async (started) => {
        await write(started)
        return (await started.api.get('/talks/t')).at('/talk')
      })
      expect(changed).not.toHaveProperty('abstract')
      const { abstract, secret, others } = item
      await start(newStore, Before, async ({ router, api }) => {
        expect(await router.items(Before).get('t')).toMatchObject({ abstract, secret, others })
        expect((await api.get('/talks?filter[others][any]=t')).ids('talks')).toEqual(['t'])
      })
    },
  )

  it('goes with its item', async () => {
    const newStore = await data()
    await start(newStore, After, ({ api }) => api.delete('/talks/t'))
    await start(newStore, After, ({ router }) =>
      router.load(After, [{ id: 't', title: 'Another', room: null }]),
    )
    await start(newStore, Before, async ({ router }) => {
      const talk = await router.items(Before).get('t')
      expect(talk).toMatchObject({ id: 't', title: 'Another', others: [] })
      expect(talk?.abstract).toBeUndefined()
    })
  })

  it('does not make a new version of an item that a write leaves as it is', async () => {
    const newStore = await data()
    await start(newStore, After, async ({ api }) => {
      const before = await api.get('/talks/t')
      const { etag } = await api.patch('/talks/t', { talk: { title: 'T' } })
      expect(etag).toBe(before.etag)
    })
  })
})
