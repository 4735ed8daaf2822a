import {
  type AnyModel,
  field,
  model,
  type OldItem,
  RegistrationError,
  toMany,
  toOne,
} from 'resourcery'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Before = model('talk', {
  title: z.string(),
  pageCount: z.int().optional(),
  isLong: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  others: toMany('talk'),
})

const slugOf = (old: OldItem) => `${old.title} ${old.pageCount} ${old.isLong} ${old.tags}`

describe.each(stores)('A backfill, on $name', ({ name, layout, makeData }) => {
  const dataOf = async (count: number) => {
    const newStore = await makeData()
    const { router } = service(newStore(), [Before])
    await router.load(
      Before,
      Array.from({ length: count }, (_, index) => ({
        id: `t${String(index).padStart(4, '0')}`,
        title: `T${index}`,
        pageCount: index,
        isLong: index > 2,
        tags: ['a', 'b'],
      })),
    )
    await router.close()
    return newStore
  }
  const started = (newStore: Awaited<ReturnType<typeof makeData>>, talk: AnyModel) => {
    const { router, api } = service(newStore(), [talk])
    onTestFinished(() => router.close())
    return { router, api }
  }

  it('gets renamed members and relations by their new names', async () => {
    const newStore = await makeData()
    const part = { optional: true } as const
    const Former = model('talk', {
      title: z.string(),
      pageCount: z.int().optional(),
      main: toOne('talk', part),
    })
    const { router } = service(newStore(), [Former])
    await router.load(Former, [
      { id: 'a', title: 'A', pageCount: 7 },
      { id: 'b', title: 'B', pageCount: 9, main: 'a' },
    ])
    await router.close()
    const seen: unknown[] = []
    const After = model('talk', {
      title: z.string(),
      length: field(z.int().optional(), { was: 'pageCount' }),
      whole: toOne('talk', { ...part, was: 'main' }),
      label: field(z.string().optional(), {
        backfill: ({ id, title, length, whole, pageCount, main }) => {
          seen.push([id, length, whole ?? null, pageCount, main])
          return `${title} (${length})`
        },
      }),
    })
    const { api } = started(newStore, After)
    expect((await api.get('/talks/b')).at('/talk')).toMatchObject({ label: 'B (9)', whole: 'a' })
    expect(seen).toEqual([
      ['a', 7, null, undefined, undefined],
      ['b', 9, 'a', undefined, undefined],
    ])
  })

  it('makes values from members of the former model, once', async () => {
    const newStore = await dataOf(3)
    const calls: string[] = []
    const fields = {
      title: z.string(),
      slug: field(z.string(), {
        unique: true,
        backfill: (old) => {
          calls.push(old.id)
          return slugOf(old)
        },
      }),
      secret: field(z.int().optional(), { hidden: true, backfill: (old) => old.pageCount }),
      others: toMany('talk'),
    }
    const After = model('talk', fields)
    const first = started(newStore, After)
    expect((await first.api.get('/talks/t0001')).at('/talk')).toEqual({
      id: 't0001',
      title: 'T1',
      slug: 'T1 1 false a,b',
      others: [],
    })
    expect((await first.api.get('/talks?filter[slug][startsWith]=T2')).ids('talks')).toEqual([
      't0002',
    ])
    expect(await first.router.query(After).where('secret').equal(2).size()).toBe(1)
    await first.router.items(After).update('t0002', { secret: null })
    await first.router.close()
    expect(calls).toEqual(['t0000', 't0001', 't0002'])
    const second = started(newStore, After)
    expect((await second.router.items(After).get('t0002'))?.secret).toBeUndefined()
    expect(calls).toHaveLength(3)
  })

  it('is a step of a plan, until it is done', async () => {
    const newStore = await dataOf(3)
    const After = model('talk', {
      ...Before.fields,
      slug: field(z.string(), { backfill: slugOf }),
    })
    const { router } = started(newStore, After)
    const plan = await router.plan()
    if (!plan) return
    expect(plan.filter(({ kind }) => kind === 'refused')).toEqual([])
    expect(plan).toContainEqual({
      kind: 'rewrite',
      summary: "Fill in 'slug' of 3 items of 'talks', with its backfill.",
      sql: [],
      itemCount: 3,
    })
    await router.open()
    expect(await router.plan()).toEqual([])
  })

  it('stops the start with the item whose value does not fit, and goes on after it', async () => {
    const newStore = await dataOf(4)
    const calls: string[] = []
    const talk = (fails: boolean) =>
      model('talk', {
        ...Before.fields,
        level: field(z.int().max(2), {
          backfill: (old) => {
            calls.push(old.id)
            if (fails && old.id === 't0002') throw new Error('no level')
            return old.id === 't0003' && fails ? 3 : old.pageCount % 3
          },
        }),
      })
    const failing = started(newStore, talk(true))
    await expect(failing.router.open()).rejects.toThrow(
      new RegistrationError(
        "The backfill of the field 'level' of the model 'talk' failed for the item 't0002': no level. Correct it and start again; items that have a value keep it.",
      ),
    )
    await failing.router.close()
    const { api } = started(newStore, talk(false))
    expect((await api.get('/talks?fields=level')).status).toBeLessThan(500)
    expect((await api.get('/talks/t0003')).at('/talk/level')).toBe(0)
  })

  it('validates values', async () => {
    const newStore = await dataOf(1)
    const Wrong = model('talk', {
      ...Before.fields,
      level: field(z.int(), { backfill: () => 'high' }),
    })
    await expect(started(newStore, Wrong).router.open()).rejects.toThrow(
      /^The backfill of the field 'level' of the model 'talk' failed for the item 't0000': .*expected/,
    )
  })

  it('leaves values alone that items have, and takes no default', async () => {
    const newStore = await dataOf(2)
    const After = model('talk', {
      ...Before.fields,
      pageCount: field(z.int().optional(), { backfill: () => 99 }),
      level: field(z.int().default(1), { backfill: (old) => old.pageCount + 10 }),
    })
    const { api } = started(newStore, After)
    expect((await api.get('/talks/t0001')).at('/talk')).toMatchObject({ pageCount: 1, level: 11 })
    expect((await api.post('/talks', { talk: { title: 'N' } })).at('/talk')).not.toHaveProperty(
      'pageCount',
    )
  })

  it('is done by one of several processes that start at once', async () => {
    const newStore = await dataOf(1200)
    const calls: string[] = []
    const After = model('talk', {
      ...Before.fields,
      slug: field(z.string(), {
        backfill: async (old) => {
          calls.push(old.id)
          return slugOf(old)
        },
      }),
    })
    const [one, other] = [started(newStore, After), started(newStore, After)]
    await Promise.all([one.router.open(), other.router.open()])
    expect(new Set(calls).size).toBe(1200)
    expect(calls).toHaveLength(1200)
    expect(await one.router.query(After).where('slug').startsWith('T').size()).toBe(1200)
  })

  it.skipIf(name === 'the memory store')(
    'leaves processes of the old version reading',
    async () => {
      const newStore = await dataOf(3)
      const old = started(newStore, Before)
      await old.router.open()
      const statuses: number[] = []
      const After = model('talk', {
        ...Before.fields,
        slug: field(z.string(), {
          backfill: async ({ id }) => {
            statuses.push((await old.api.get(`/talks/${id}`)).status)
            return id
          },
        }),
      })
      const { api } = started(newStore, After)
      expect((await api.get('/talks/t0002')).at('/talk/slug')).toBe('t0002')
      expect(statuses).toEqual([200, 200, 200])
    },
  )

  it.runIf(layout === 'tables')(
    'is done before a field or a model is renamed, so that the old version goes on until then',
    async () => {
      const newStore = await dataOf(3)
      const old = service(newStore(), [Before], { onError: () => undefined })
      onTestFinished(() => old.router.close())
      await old.router.open()
      const statuses: number[] = []
      const After = model(
        'speech',
        {
          title: z.string(),
          length: field(z.int().optional(), { was: 'pageCount' }),
          slug: field(z.string(), {
            unique: true,
            backfill: async ({ id, length }) => {
              statuses.push((await old.api.get(`/talks/${id}`)).status)
              return `${id} ${length}`
            },
          }),
          others: toMany('speech'),
        },
        { was: 'talk' },
      )
      const { router, api } = started(newStore, After)
      const plan = (await router.plan()) ?? []
      const kinds = plan.filter(({ kind }) => kind !== 'never' && kind !== 'refused')
      const firstEnd = kinds.findIndex((step) => 'endsOldProcesses' in step)
      const filled = kinds.findIndex(({ summary }) => summary.startsWith('Fill in'))
      expect(firstEnd).toBeGreaterThan(filled)
      expect((await api.get('/speeches/t0002')).at('/speech')).toMatchObject({
        slug: 't0002 2',
        length: 2,
      })
      expect(statuses).toEqual([200, 200, 200])
      expect(await router.plan()).toEqual(plan.filter(({ kind }) => kind === 'never'))
      expect((await old.api.get('/talks/t0000')).status).toBe(503)
    },
  )

  it('fills in nothing where a model is new', async () => {
    const newStore = await makeData()
    const New = model('talk', {
      title: z.string(),
      level: field(z.int().optional(), { backfill: () => 1 }),
    })
    const first = started(newStore, New)
    await first.api.post('/talks', { talk: { title: 'N' } })
    await first.router.close()
    const second = started(newStore, New)
    expect((await second.api.get('/talks')).at('/talks/0')).not.toHaveProperty('level')
  })
})
