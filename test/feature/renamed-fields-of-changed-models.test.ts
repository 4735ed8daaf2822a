import { type AnyModel, field, model, type OldItem, toOne } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Room = model('room', { name: z.string() })
const Before = model('talk', {
  title: z.string(),
  pages: z.int().optional(),
  place: toOne('room', { optional: true }),
})

const noBackfill = (old: OldItem): never => {
  throw new Error(`The backfill got '${old.id}'.`)
}

describe.each(stores)('A renamed field, on $name', ({ name, makeData }) => {
  const start = async <T>(
    newStore: Awaited<ReturnType<typeof makeData>>,
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
  const dataOf = async (items: readonly { readonly id: string; readonly pages?: number }[]) => {
    const newStore = await makeData()
    await start(newStore, [Before, Room], async ({ router }) => {
      await router.load(Room, [{ id: 'r', name: 'R' }])
      await router.load(
        Before,
        items.map((item) => ({ title: 'T', place: 'r', ...item })),
      )
    })
    return newStore
  }
  const whole = [
    { id: 't', pages: 1 },
    { id: 'u', pages: 2 },
  ]
  /** What prune lists, after a start. */
  const undeclared = async (
    newStore: Awaited<ReturnType<typeof makeData>>,
    models: readonly AnyModel[],
  ) => (await service(newStore(), models).router.prune({ drops: false })) ?? []
  const isMemory = name === 'the memory store'

  it('is not missing and not filled in where the former values are, and prune leaves it', async () => {
    const newStore = await dataOf(whole)
    const After = model('talk', {
      title: z.string(),
      pageCount: field(z.int(), { was: 'pages', backfill: noBackfill }),
      room: toOne('room', { was: 'place' }),
    })
    for (const _ of ['first', 'second'])
      await start(newStore, [After, Room], async ({ api, router }) => {
        expect((await api.get('/talks/t')).at('/talk')).toMatchObject({ pageCount: 1, room: 'r' })
        expect(((await router.plan()) ?? []).filter(({ kind }) => kind !== 'never')).toEqual([])
      })
    expect(await undeclared(newStore, [After, Room])).toEqual([])
  })

  it('is filled in where the former values are not', async () => {
    const newStore = await dataOf([...whole, { id: 'v' }])
    const After = model('talk', {
      title: z.string(),
      pageCount: field(z.int(), { was: 'pages', backfill: (old) => (old.title as string).length }),
      room: toOne('room', { was: 'place' }),
    })
    await start(newStore, [After, Room], async ({ router }) => {
      const items = await router.items(After).all()
      expect(items.map(({ id, pageCount }) => [id, pageCount])).toEqual([
        ['t', 1],
        ['u', 2],
        ['v', 1],
      ])
    })
  })

  it('is missing where the former values are not', async () => {
    const newStore = await dataOf([...whole, { id: 'v' }])
    const After = model('talk', {
      title: z.string(),
      pageCount: field(z.int(), { was: 'pages' }),
      place: toOne('room', { optional: true }),
    })
    await expect(start(newStore, [After, Room], async () => undefined)).rejects.toThrow(
      "The field 'pageCount' of the model 'talk' requires a value, but 1 item has none: v.",
    )
  })

  it('is not filled in again after its backfill was done under its former name', async () => {
    const newStore = await dataOf(whole)
    const Slug = model('talk', {
      title: z.string(),
      slug: field(z.string().optional(), { backfill: (old) => old.id }),
    })
    await start(newStore, [Slug, Room], async ({ router }) => {
      expect((await router.items(Slug).get('t'))?.slug).toBe('t')
      const { id, title } = (await router.items(Slug).get('u'))!
      await router.items(Slug).replace('u', { id, title })
    })
    const Renamed = model('talk', {
      title: z.string(),
      name: field(z.string().optional(), { was: 'slug', backfill: noBackfill }),
    })
    await start(newStore, [Renamed, Room], async ({ router }) => {
      expect((await router.items(Renamed).get('t'))?.name).toBe('t')
      expect((await router.items(Renamed).get('u'))?.name).toBeUndefined()
    })
    if (isMemory) return
    const Moved = model(
      'lecture',
      { title: z.string(), name: field(z.string().optional(), { backfill: noBackfill }) },
      { was: 'talk' },
    )
    await start(newStore, [Moved, Room], async ({ router }) => {
      expect((await router.items(Moved).get('t'))?.name).toBe('t')
      expect((await router.items(Moved).get('u'))?.name).toBeUndefined()
    })
  })

  it.skipIf(isMemory)('is filled in again once its values were pruned', async () => {
    const newStore = await dataOf(whole)
    const Slug = model('talk', {
      title: z.string(),
      slug: field(z.string(), { backfill: (old) => old.id }),
    })
    const Without = model('talk', { title: z.string() })
    await start(newStore, [Slug, Room], async () => undefined)
    await start(newStore, [Without, Room], async () => undefined)
    await service(newStore(), [Without, Room]).router.prune({ drops: true })
    await start(newStore, [Slug, Room], async ({ router }) => {
      expect((await router.items(Slug).get('t'))?.slug).toBe('t')
    })
  })

  it.skipIf(isMemory)('and a renamed model are neither missing nor pruned', async () => {
    const newStore = await dataOf(whole)
    const After = model(
      'lecture',
      {
        title: z.string(),
        pageCount: field(z.int(), { was: 'pages', backfill: noBackfill }),
        room: toOne('room', { was: 'place' }),
      },
      { was: 'talk' },
    )
    await start(newStore, [After, Room], async ({ api, router }) => {
      expect((await api.get('/lectures/t')).at('/lecture')).toMatchObject({
        pageCount: 1,
        room: 'r',
      })
      expect(((await router.plan()) ?? []).filter(({ kind }) => kind !== 'never')).toEqual([])
    })
    expect(await undeclared(newStore, [After, Room])).toEqual([])
  })
})
