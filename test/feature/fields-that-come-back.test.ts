import { model } from 'resourcery'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const title = z.string()
const First = model('book', {
  title,
  stock: z.int().default(0),
  shelf: z.string().default('new'),
  sizes: z.array(z.int()).default([]),
})
const Second = model('book', { title })
const Optional = model('book', {
  title,
  stock: z.int().optional(),
  shelf: z.string().optional(),
  sizes: z.array(z.int()).optional(),
})

describe.each(stores)('A field with a default, on $name', ({ makeData }) => {
  const data = async () => {
    const newStore = await makeData()
    return async (book: typeof First | typeof Second | typeof Optional) => {
      const { router, api } = service(newStore(), [book])
      onTestFinished(() => router.close())
      await router.open()
      return {
        api,
        plan: () => router.plan(),
        add: async (body: object) =>
          expect((await api.post('/books', { book: body })).status).toBe(201),
        close: () => router.close(),
      }
    }
  }
  const titles = async (
    api: Awaited<ReturnType<Awaited<ReturnType<typeof data>>>>['api'],
    query: string,
  ) =>
    ((await api.get(`/books?${query}`)).at('/books') as { title: string }[]).map(
      ({ title }) => title,
    )

  const expectDefaults = async (
    api: Awaited<ReturnType<Awaited<ReturnType<typeof data>>>>['api'],
    names: readonly string[],
  ) => {
    for (const { title, ...members } of (await api.get('/books?sort=title')).at('/books') as {
      title: string
    }[])
      if (names.includes(title))
        expect(members).toMatchObject({ stock: 0, shelf: 'new', sizes: [] })
    expect(await titles(api, 'filter[stock]=0&sort=title')).toEqual(names)
    expect(await titles(api, 'filter[shelf]=new&sort=title')).toEqual(names)
    expect(await titles(api, 'sort=-stock,title')).toEqual(['a', ...names])
    const counted = await api.get('/books?filter[stock]=0&withCount=true&page[size]=1')
    expect(counted.text).toContain(`${names.length}`)
  }

  it('comes back with its default, as often as a deployment is rolled back', async () => {
    const start = await data()
    const first = await start(First)
    await first.add({ title: 'a', stock: 4, shelf: 'x' })
    await first.close()
    const names = ['b', 'c']
    for (const [round, name] of names.entries()) {
      const second = await start(Second)
      await second.add({ title: name })
      await second.close()
      const again = await start(First)
      await expectDefaults(again.api, names.slice(0, round + 1))
      await again.close()
    }
  })

  it('fills items in where it was optional', async () => {
    const start = await data()
    const first = await start(Optional)
    await first.add({ title: 'a', stock: 4, shelf: 'x' })
    await first.add({ title: 'b' })
    await first.close()
    const second = await start(First)
    await expectDefaults(second.api, ['b'])
    expect((await second.plan()) ?? []).toEqual([])
    await second.close()
    const third = await start(Optional)
    await third.add({ title: 'c' })
    await third.close()
    await expectDefaults((await start(First)).api, ['b', 'c'])
  })
})
