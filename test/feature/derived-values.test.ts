import {
  type AnyModel,
  action,
  createRouter,
  dateTime,
  derived,
  field,
  hash,
  model,
  RegistrationError,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { policies } from '../support/policies.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string() })

const total = derived({
  from: ['price', 'discount'],
  schema: z.number(),
  compute: ({ price, discount }: { price: number; discount: number | undefined }) =>
    price - (discount ?? 0),
  index: true,
})

const label = derived({
  from: ['author', 'total', 'publishedAt'],
  schema: z.string(),
  compute: ({
    author,
    total,
    publishedAt,
  }: {
    author: string | null
    total: number
    publishedAt: Date | undefined
  }) => `${author ?? 'nobody'} ${total} ${publishedAt?.getUTCFullYear() ?? '-'}`,
})

const bookFields = {
  title: z.string(),
  price: z.number(),
  discount: z.number().optional(),
  publishedAt: dateTime({ optional: true, date: true }),
  // Before what it is made of.
  label,
  total,
  author: toOne('author', { optional: true, onDelete: 'set-null' }),
  hash: hash(),
}
const bookOptions = {
  aggregate: ['total', 'label'],
  history: true,
  trash: true,
  search: ['label'],
} as const

class Book extends model('book', bookFields, bookOptions) {
  rename({ title }: { title: string }) {
    this.title = title
  }

  halve() {
    this.price /= 2
    this.total = 1_000
  }
}
action(Book, 'halve', {})

describe.each(stores)('Derived values, on $name', ({ name, make, makeData }) => {
  const bookstore = async () => {
    const { router, api } = service(await make(), [Author, Book])
    await router.load(Author, [{ id: 'herbert', name: 'Frank Herbert' }])
    return { router, api }
  }
  const shown = (response: { at(pointer: string): unknown }) => [
    response.at('/book/total'),
    response.at('/book/label'),
  ]

  it('are computed by every request that writes the item', async () => {
    const { api } = await bookstore()
    const created = await api.post('/books', {
      book: { title: 'Dune', price: 12, discount: 2, author: 'herbert', total: 'ignored' },
    })
    expect(created.status).toBe(201)
    expect(shown(created)).toEqual([10, 'herbert 10 -'])
    const path = `/books/${created.at('/book/id')}`
    const changed = await api.patch(path, {
      book: { price: 20, publishedAt: '1965-08-01T00:00:00Z' },
    })
    expect(shown(changed)).toEqual([18, 'herbert 18 1965'])
    expect(changed.etag).not.toBe(created.etag)
    const replaced = await api.put(path, { book: { title: 'Dune', price: 8, author: null } })
    expect(shown(replaced)).toEqual([8, 'nobody 8 -'])
    expect(shown(await api.post(`${path}/halve`))).toEqual([4, 'nobody 4 -'])
    const linked = await api.put(path, { book: { title: 'Dune', price: 4, author: 'herbert' } })
    expect(shown(linked)).toEqual([4, 'herbert 4 -'])
    expect((await api.delete('/authors/herbert')).status).toBeLessThan(300)
    expect(shown(await api.get(path))).toEqual([4, 'nobody 4 -'])
  })

  it('stay as they are where nothing changes, also if they are sent back changed', async () => {
    const { api } = await bookstore()
    const created = await api.post('/books', { book: { title: 'Dune', price: 12 } })
    const path = `/books/${created.at('/book/id')}`
    const same = await api.patch(path, { book: { total: 99, label: 'x' } })
    expect(same.status).toBe(200)
    expect(same.etag).toBe(created.etag)
    const whole = await api.put(path, created.body)
    expect(whole.etag).toBe(created.etag)
  })

  it('filter, sort, add up, group and search', async () => {
    const { router, api } = await bookstore()
    await router.load(Book, [
      { id: 'a', title: 'A', price: 30, discount: 1 },
      { id: 'b', title: 'B', price: 10 },
      { id: 'c', title: 'C', price: 20, discount: 10, author: 'herbert' },
    ])
    expect((await api.get('/books?sort=-total,id')).ids('books')).toEqual(['a', 'b', 'c'])
    expect((await api.get('/books?filter[total][lt]=11')).ids('books')).toEqual(['b', 'c'])
    const summed = await api.get('/books?withAggregates=sum(total)')
    expect(summed.at('/meta/aggregates')).toEqual({ 'sum(total)': 49 })
    const groups = await api.get('/books/groups?groupBy=total&withAggregates=count&sort=total')
    expect(groups.at('/groups/0')).toEqual({ by: { total: 10 }, aggregates: { count: 2 } })
    expect((await api.get('/books?search=herbert')).ids('books')).toEqual(['c'])
  })

  it('are computed again where former versions and deleted items come back', async () => {
    const { api } = await bookstore()
    const created = await api.post('/books', { book: { title: 'Dune', price: 12 } })
    const path = `/books/${created.at('/book/id')}`
    await api.patch(path, { book: { price: 20 } })
    const versions = await api.get(`${path}/versions`)
    expect(versions.status).toBe(200)
    expect(versions.at('/versions/0/item/total')).toBe(20)
    expect(versions.at('/versions/1/item/total')).toBe(12)
    const number = versions.at('/versions/1/number')
    expect(shown(await api.post(`${path}/versions/${number}/restore`))).toEqual([12, 'nobody 12 -'])
    await api.delete(path)
    const trashed = path.replace('/books/', '/books/trash/')
    const restored = await api.post(`${trashed}/restore`)
    expect(restored.status).toBe(201)
    expect(shown(restored)).toEqual([12, 'nobody 12 -'])
  })

  it('follow hooks, code and values that are loaded', async () => {
    const { router, api } = service(await make(), [Author])
    const seen: unknown[] = []
    router.prepare(Book).use({
      write: {
        before: ({ next }) => {
          if (!next) return
          seen.push(next.total)
          if (next.title === 'Cheap') next.price = 1
          next.total = 1_000
        },
      },
    })
    const items = router.items(Book)
    const { id } = await items.create({ title: 'Cheap', price: 12 })
    expect((await items.get(id))?.total).toBe(1)
    const item = await items.update(id, { title: 'Dear', price: 40, total: 3 })
    expect(item.total).toBe(40)
    expect(seen).toEqual([12, 40])
    expect((await api.get(`/books/${id}`)).at('/book/label')).toBe('nobody 40 -')
    await router.load(Book, [{ id: 'loaded', title: 'L', price: 5, total: 17 } as never])
    expect((await items.get('loaded'))?.total).toBe(5)
  })

  it.each(policies)('are ignored where clients send them, under $name', async (policy) => {
    const router = policy.router(await make(), {})
    router.prepare(Author)
    router.prepare(Book)
    const api = policy.client(router)
    const isRest = policy.name === 'plain REST'
    const members = { title: 'Dune', price: 12, total: -1, label: 7 }
    const body = isRest ? { book: members } : { data: { type: 'books', attributes: members } }
    const created = await api.post('/books', body)
    expect(created.status).toBe(201)
    expect(policy.item(created)).toMatchObject({ total: 12, label: 'nobody 12 -' })
    const { id } = policy.item(created)
    const change = { price: 7, total: 12 }
    const changed = await api.patch(
      `/books/${id}`,
      isRest ? { book: change } : { data: { type: 'books', id, attributes: change } },
    )
    expect(policy.item(changed)).toMatchObject({ total: 7, label: 'nobody 7 -' })
  })

  it('are computed for each line, and for hidden fields', async () => {
    const Secret = model('secret', {
      word: field(z.string(), { writeOnly: true }),
      size: derived({
        from: ['word'],
        schema: z.int(),
        compute: ({ word }) => word.length,
        hidden: true,
        index: true,
      }),
    })
    const router = createRouter({ policy: rest({ jsonLines: true }), store: await make() })
    router.prepare(Secret)
    const lines = await client(router).post('/secrets', '{"word":"a"}\n{"word":"bcd"}\n', {
      'content-type': 'application/jsonl',
    })
    expect(lines.text.match(/"status":201/g)).toHaveLength(2)
    expect(lines.text).not.toContain('size')
    expect(await router.query(Secret).where('size').equal(3).size()).toBe(1)
    const items = router.items(Secret)
    for await (const { id } of items.find((query) => query.where('size').equal(1)))
      expect((await items.update(id, { word: 'longer' })).size).toBe(6)
    expect(await router.query(Secret).where('size').equal(6).size()).toBe(1)
  })

  it('fail the whole write where the function throws, and are reported', async () => {
    const errors: unknown[] = []
    const Fragile = model('book', {
      title: z.string(),
      initial: derived({
        from: ['title'],
        schema: z.string().length(1),
        compute: ({ title }) => {
          if (title === 'throws') throw new Error('no initial')
          return title === 'promise' ? Promise.resolve('x') : title.slice(0, title.length % 10)
        },
      }),
    })
    const { api } = service(await make(), [Fragile], {
      onError: (error) => void errors.push((error as Error).message),
    })
    const created = await api.post('/books', { book: { title: 'A' } })
    expect(created.status).toBe(201)
    for (const title of ['throws', 'promise', 'long']) {
      expect((await api.post('/books', { book: { title } })).status).toBe(500)
      const path = `/books/${created.at('/book/id')}`
      expect((await api.patch(path, { book: { title } })).status).toBe(500)
      expect((await api.get(path)).at('/book/title')).toBe('A')
    }
    expect((await api.get('/books')).ids('books')).toHaveLength(1)
    const text = errors.join('\n')
    expect(text).toContain("The derived field 'initial' of the model 'book' failed for the item '")
    for (const reason of [': no initial.', 'must be synchronous.', 'Too big'])
      expect(text).toContain(reason)
  })

  it('fail with the index of the new item where code creates or checks many', async () => {
    const Fragile = model('book', {
      title: z.string(),
      initial: derived({
        from: ['title'],
        schema: z.string(),
        compute: ({ title }) => {
          if (title === '') throw new Error('no initial')
          return title.slice(0, 1)
        },
      }),
    })
    const { router } = service(await make(), [Fragile])
    const rows = [{ title: 'A' }, { title: '' }]
    const failure = /^book at index 1: The derived field 'initial' .* failed .*: no initial\.$/
    await expect(router.items(Fragile).createMany(rows)).rejects.toThrow(failure)
    await expect(router.items(Fragile).validate(rows)).rejects.toThrow(failure)
    expect(await router.query(Fragile).size()).toBe(0)
  })

  it('fail with the field and the item where JSON cannot hold them', async () => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    const deep = Array.from({ length: 20_000 }).reduce<unknown>((inner) => [inner], [])
    const results: Record<string, () => unknown> = {
      bigint: () => 1n,
      circle: () => circle,
      deep: () => deep,
      getter: () => Object.defineProperty({}, 'a', { enumerable: true, get: failing }),
      surrogate: () => ({ toJSON: () => '\ud800' }),
      date: () => new Date(0),
      nothing: () => undefined,
      function: () => failing,
    }
    const failing = () => {
      throw new Error('no value')
    }
    const Odd = model('book', {
      title: z.string(),
      odd: derived({
        from: ['title'],
        schema: z.any(),
        compute: ({ title }) => results[title as string]!(),
      }),
    })
    const errors: unknown[] = []
    const { api } = service(await make(), [Odd], {
      onError: (error) => void errors.push((error as Error).message),
    })
    for (const title of ['bigint', 'circle', 'deep', 'getter', 'surrogate']) {
      expect((await api.post('/books', { book: { title } })).status).toBe(500)
      expect(errors.pop()).toMatch(/^The derived field 'odd' of the model 'book' failed for the/)
    }
    expect((await api.get('/books')).ids('books')).toEqual([])
    const created = await api.post('/books', { book: { title: 'date' } })
    expect(created.at('/book/odd')).toBe('1970-01-01T00:00:00.000Z')
    for (const title of ['nothing', 'function']) {
      const response = await api.post('/books', { book: { title } })
      expect([response.status, response.at('/book/odd')]).toEqual([201, undefined])
    }
  })

  it('fail where they are undefined, unless the field is optional', async () => {
    const computed: Record<string, () => unknown> = {
      nothing: () => undefined,
      function: () => () => 1,
    }
    const Odd = model('book', {
      title: z.string(),
      odd: derived({
        from: ['title'],
        schema: z.any().refine((value) => value !== undefined),
        compute: ({ title }) => computed[title as string]!(),
      }),
    })
    const errors: unknown[] = []
    const { api } = service(await make(), [Odd], {
      onError: (error) => void errors.push((error as Error).message),
    })
    for (const [title, reason] of [
      ['nothing', 'Invalid input'],
      ['function', 'the value is undefined, and the field is not optional'],
    ]) {
      expect((await api.post('/books', { book: { title } })).status).toBe(500)
      expect(errors.pop()).toContain(reason)
    }
  })

  it('are unique where they have to be', async () => {
    const Person = model('person', {
      name: z.string(),
      key: derived({
        from: ['name'],
        schema: z.string(),
        compute: ({ name }) => name.toLowerCase(),
        unique: true,
      }),
    })
    const { api } = service(await make(), [Person])
    expect((await api.post('/people', { person: { name: 'Ann' } })).status).toBe(201)
    const taken = await api.post('/people', { person: { name: 'ANN' } })
    expect([taken.status, taken.errors[0]?.code]).toEqual([409, 'value-taken'])
    expect(taken.errors[0]?.source).toEqual({ pointer: '/person' })
  })

  describe('after a start with another model', () => {
    const started = (newStore: Awaited<ReturnType<typeof makeData>>, book: AnyModel) => {
      const { router, api } = service(newStore(), [book])
      onTestFinished(() => router.close())
      return { router, api }
    }
    const Before = model('book', { title: z.string(), price: z.number() })
    const twice = (version: number, compute = ({ price }: { price: number }) => price * 2) =>
      model('book', {
        ...Before.fields,
        hash: hash(),
        double: derived({ from: ['price'], schema: z.number(), compute, version, index: true }),
        quadruple: derived({
          from: ['double', 'rank'],
          schema: z.number(),
          compute: ({ double, rank }: { double: number; rank: number }) => double * 2 * rank,
          version,
        }),
        rank: field(z.int(), { backfill: () => 1 }),
      })
    const dataOf = async (count: number) => {
      const newStore = await makeData()
      const { router } = started(newStore, Before)
      await router.load(
        Before,
        Array.from({ length: count }, (_, index) => ({
          id: `b${String(index).padStart(4, '0')}`,
          title: `B${index}`,
          price: index,
        })),
      )
      await router.close()
      return newStore
    }

    it('are computed in all items, once for each version of the function', async () => {
      const newStore = await dataOf(300)
      const first = started(newStore, twice(1))
      const plan = await first.router.plan()
      if (plan) {
        expect(plan.filter(({ kind }) => kind === 'refused')).toEqual([])
        expect(plan.some(({ summary }) => summary.includes("'double'"))).toBe(true)
      }
      const { api } = first
      expect((await api.get('/books/b0003')).body).toMatchObject({
        book: { double: 6, quadruple: 12 },
      })
      expect((await api.get('/books?filter[double]=598')).ids('books')).toEqual(['b0299'])
      if (plan) expect(await first.router.plan()).toEqual([])
      const { etag } = await api.get('/books/b0003')
      await first.router.close()

      const calls: number[] = []
      const counted = (version: number) =>
        twice(version, ({ price }) => {
          calls.push(price)
          return price * 3
        })
      // The function is another one, and nobody said so.
      const same = started(newStore, counted(1))
      expect((await same.api.get('/books/b0003')).at('/book/double')).toBe(6)
      await same.router.close()
      expect(calls).toEqual([])

      const changed = started(newStore, counted(2))
      const again = await changed.router.plan()
      if (again) expect(again.some(({ summary }) => summary.includes("'double'"))).toBe(true)
      const recomputed = await changed.api.get('/books/b0003')
      expect(recomputed.body).toMatchObject({ book: { double: 9, quadruple: 18 } })
      expect(recomputed.etag).not.toBe(etag)
      expect((await changed.api.get('/books?filter[double]=897')).ids('books')).toEqual(['b0299'])
      expect(new Set(calls).size).toBe(300)
      if (again) expect(await changed.router.plan()).toEqual([])
      await changed.router.close()
      const { length } = calls
      const last = started(newStore, counted(2))
      expect((await last.api.get('/books?sort=-double&limit=1')).status).toBeLessThan(500)
      expect(calls).toHaveLength(length)
    })

    it('are found by their new words', async () => {
      const named = (version: number) =>
        model(
          'book',
          {
            ...Before.fields,
            words: derived({
              from: ['title'],
              schema: z.string(),
              compute: ({ title }) => `${version === 1 ? 'former' : 'later'} ${title}`,
              version,
            }),
          },
          { search: ['words'] },
        )
      const newStore = await dataOf(30)
      const first = started(newStore, named(1))
      expect((await first.api.get('/books?search=former+b7')).ids('books')).toEqual(['b0007'])
      await first.router.close()
      const { router, api } = started(newStore, named(2))
      await router.open()
      await vi.waitFor(async () => {
        expect((await api.get('/books?search=later+b7')).ids('books')).toEqual(['b0007'])
        expect((await api.get('/books?search=former')).ids('books')).toEqual([])
      })
    })

    it('are computed again where the field comes back', async () => {
      const newStore = await dataOf(3)
      const first = started(newStore, twice(1))
      await first.router.open()
      await first.router.close()
      const Without = model('book', {
        ...Before.fields,
        rank: field(z.int(), { backfill: () => 1 }),
      })
      const second = started(newStore, Without)
      expect((await second.api.patch('/books/b0001', { book: { price: 50 } })).status).toBe(200)
      await second.router.close()
      const { api } = started(newStore, twice(1))
      expect((await api.get('/books/b0001')).body).toMatchObject({
        book: { double: 100, quadruple: 200 },
      })
      expect((await api.get('/books?filter[double]=100')).ids('books')).toEqual(['b0001'])
    })

    it('stop the start where unique ones move from one item to another', async () => {
      const newStore = await dataOf(3)
      const ranked = (version: number, fieldName = 'rank') =>
        model('book', {
          ...Before.fields,
          [fieldName]: derived({
            from: ['price'],
            schema: z.int(),
            compute: ({ price }: { price: number }) => (price + version) % 3,
            version,
            unique: true,
          }),
        })
      const first = started(newStore, ranked(1))
      await first.router.open()
      await first.router.close()
      const second = started(newStore, ranked(2))
      const opened = second.router.open()
      // It writes no item before all have their values.
      if (name === 'the memory store') await opened
      else
        await expect(opened).rejects.toThrow(
          /^The field 'rank' of the model 'book' is unique, but the function gives the item 'b000\d' what another stored item has\./,
        )
      await second.router.close()
      const { api } = started(newStore, ranked(2, 'place'))
      expect((await api.get('/books/b0002')).at('/book/place')).toBe(1)
    })

    it('stop the start with the item for which the function throws', async () => {
      const newStore = await dataOf(3)
      const failing = started(
        newStore,
        twice(1, ({ price }) => {
          if (price === 2) throw new Error('too much')
          return price
        }),
      )
      await expect(failing.router.open()).rejects.toThrow(
        new RegistrationError(
          "The derived field 'double' of the model 'book' failed for the item 'b0002': too much. Correct it and start again.",
        ),
      )
      await failing.router.close()
      const { api } = started(newStore, twice(1))
      expect((await api.get('/books/b0002')).at('/book/quadruple')).toBe(8)
    })
  })

  it('are stored as JSON writes what the schema lets through, as values that code sets', async () => {
    const odd = () => ({ number: Number.NaN, map: new Map([['a', 1]]), day: new Date(0) })
    const Odd = model('odd', {
      value: z.unknown(),
      made: derived({ from: ['value'], schema: z.unknown(), compute: odd }),
      big: derived({
        from: ['value'],
        schema: z.unknown(),
        compute: ({ value }) => (value === 'big' ? 1n : 1),
      }),
    })
    const { router, api } = service(await make(), [Odd], { onError: () => {} })
    const json = { number: null, map: {}, day: '1970-01-01T00:00:00.000Z' }

    await router.items(Odd).create({ id: 'code', value: odd() })
    expect((await api.get('/odds/code')).at('/odd')).toMatchObject({ value: json, made: json })
    const created = await api.post('/odds', { odd: { id: 'client', value: 1 } })
    expect(created.status).toBe(201)
    expect(created.at('/odd/made')).toEqual(json)

    expect((await api.post('/odds', { odd: { id: 'none', value: 'big' } })).status).toBe(500)
    expect((await api.get('/odds/none')).status).toBe(404)
  })

  it.each(policies)('are read-only under $name, and say what they are made of', async (policy) => {
    const router = policy.router(await make())
    router.prepare(Author)
    router.prepare(Book)
    const document = router.toOpenApi({ info: { title: 'Books', version: '1' } })
    const found: unknown[] = []
    JSON.stringify(document, (key, value) => {
      if (key === 'total' && value.readOnly) found.push(value)
      return value
    })
    expect(found.length).toBeGreaterThan(1)
    for (const schema of found)
      expect(schema).toMatchObject({
        readOnly: true,
        description: "Computed from 'price' and 'discount'",
      })
  })
})
