import {
  type Authenticator,
  createRouter,
  derived,
  field,
  hash,
  model,
  RegistrationError,
  toMany,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores, transactionsEnded } from '../support/stores.ts'

const Caller = z.object({ id: z.string() })

const byName: Authenticator<z.infer<typeof Caller>> = {
  name: 'caller',
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: ({ headers }) => {
    const id = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    return id === undefined ? undefined : { caller: { id } }
  },
}

const as = (id: string) => ({ authorization: `Bearer ${id}` })

const Shop = model('shop', {
  name: z.string(),
  owner: z.string(),
  books: toMany('book', { inverse: 'shop' }),
})

class Book extends model(
  'book',
  {
    title: z.string(),
    owner: z.string(),
    price: z.number(),
    cost: z.number(),
    notes: z.string().default(''),
    margin: derived({
      from: ['price', 'cost'],
      schema: z.number(),
      compute: ({ price, cost }: { price: number; cost: number }) => price - cost,
    }),
    grade: derived({
      from: ['margin', 'title'],
      schema: z.string(),
      compute: ({ margin, title }: { margin: number; title: string }) => `${title} ${margin}`,
      index: true,
    }),
    place: derived({
      from: ['shop'],
      schema: z.string(),
      compute: ({ shop }: { shop: string | null }) => `in ${shop ?? 'stock'}`,
    }),
    shop: toOne('shop', { optional: true }),
    hash: hash(),
  },
  { aggregate: ['margin', 'grade', 'place', 'title'], history: true },
) {}

describe.each(stores)('What is derived, on $name', ({ make }) => {
  const open = async () => {
    const router = createRouter({
      policy: rest({ csv: true }),
      store: await make(),
      security: { authentication: [byName], callerSchema: Caller },
      changes: true,
    })
    router.prepare(Shop).access(({ item, caller }) => ({ read: item.owner.equal(caller.id) }))
    router.prepare(Book).access(({ item, caller, signedIn }) => ({
      fields: {
        cost: { read: item.owner.equal(caller.id) },
        notes: { read: signedIn },
      },
    }))
    await router.load(Shop, [{ id: 's1', name: 'Main', owner: 'ann' }])
    await router.load(Book, [
      { id: 'b1', title: 'A', owner: 'ann', price: 10, cost: 4, shop: 's1' },
      { id: 'b2', title: 'B', owner: 'bob', price: 20, cost: 5, shop: null },
    ])
    return client(router)
  }

  it('is read in items where all that it is made of is read', async () => {
    const api = await open()
    const ofAnn = await api.get('/books/b1', as('ann'))
    expect(ofAnn.body).toMatchObject({ book: { margin: 6, grade: 'A 6', place: 'in s1' } })
    const ofBob = await api.get('/books/b1', as('bob'))
    expect(Object.keys(ofBob.at('/book') as object)).toEqual(
      expect.not.arrayContaining(['cost', 'margin', 'grade', 'place']),
    )
    expect((await api.get('/books/b2', as('bob'))).body).toMatchObject({
      book: { margin: 15, grade: 'B 15', place: 'in stock' },
    })
    expect((await api.get('/books/b1')).text).not.toMatch(/margin|grade/)
    expect((await api.get('/shops/s1?include=books', as('ann'))).text).toContain('"A 6"')
  })

  it('hides what it does not show from filters, sorts, sums, groups and facets', async () => {
    const api = await open()
    const list = async (query: string) => api.get(`/books?${query}`, as('bob'))
    expect((await list('filter[margin]=6')).ids('books')).toEqual([])
    expect((await list('filter[grade][startsWith]=A')).ids('books')).toEqual([])
    expect((await list('filter[place]=in+s1')).ids('books')).toEqual([])
    expect((await list('sort=-grade')).ids('books')).toEqual(['b2', 'b1'])
    expect((await list('withAggregates=sum(margin),max(margin)')).at('/meta/aggregates')).toEqual({
      'sum(margin)': 15,
      'max(margin)': 15,
    })
    expect((await list('withFacets=grade,place')).at('/meta/facets')).toEqual({
      grade: [
        { value: null, count: 1 },
        { value: 'B 15', count: 1 },
      ],
      place: [
        { value: null, count: 1 },
        { value: 'in stock', count: 1 },
      ],
    })
    const groups = await api.get('/books/groups?groupBy=margin&withAggregates=count', as('bob'))
    expect(groups.text).not.toContain('6')
    const csv = await api.get('/books', { ...as('bob'), accept: 'text/csv' })
    expect(csv.text).not.toMatch(/A 6|in s1/)
    for (const query of ['filter[margin]=6', 'sort=grade', 'fields=margin'])
      expect((await api.get(`/books?${query}`)).status).toBe(400)
  })

  it('is hidden in changes and versions too', async () => {
    const api = await open()
    const positionOf = async (id: string) =>
      (await api.get('/books', as(id))).headers.get('changes-position')
    const positions = { ann: await positionOf('ann'), bob: await positionOf('bob') }
    expect((await api.patch('/books/b1', { book: { price: 30 } }, as('ann'))).status).toBe(200)
    await transactionsEnded()
    const changes = async (id: 'ann' | 'bob') =>
      (await api.get(`/books/changes?since=${positions[id]}`, as(id))).text
    expect(await changes('ann')).toContain('A 26')
    expect(await changes('bob')).not.toMatch(/A 26|in s1/)
    expect((await api.get('/books/b1/versions', as('ann'))).text).toContain('A 6')
    expect((await api.get('/books/b1/versions', as('bob'))).text).not.toMatch(/A 6|A 26|in s1/)
  })

  it('stays hidden once the related item is deleted, whatever its rule was', async () => {
    const Branch = model('branch', { isSecret: z.boolean(), name: z.string() }, { trash: true })
    const Copy = model(
      'copy',
      {
        title: z.string(),
        place: derived({
          from: ['branch'],
          schema: z.string(),
          compute: ({ branch }: { branch: string | null }) => `in ${branch ?? 'stock'}`,
        }),
        // Follows the rule of what it is made of.
        sign: derived({
          from: ['place'],
          schema: z.string(),
          compute: ({ place }: { place: string }) => `${place}!`,
        }),
        branch: toOne('branch', { optional: true, onDelete: 'set-null' }),
      },
      { aggregate: ['place', 'sign'], history: true, trash: true, plural: 'copies' },
    )
    const router = createRouter({
      policy: rest(),
      store: await make(),
      security: { authentication: [byName], callerSchema: Caller },
      changes: true,
    })
    router.prepare(Branch).access(({ item }) => ({ read: item.isSecret.notEqual(true) }))
    router.prepare(Copy)
    await router.load(Branch, [
      { id: 'vault', name: 'Vault', isSecret: true },
      { id: 'main', name: 'Main', isSecret: false },
    ])
    await router.load(Copy, [
      { id: 'c1', title: 'A', branch: 'vault' },
      { id: 'c2', title: 'B', branch: 'main' },
      { id: 'c3', title: 'C', branch: 'vault' },
    ])
    const api = client(router)
    const since = (await api.get('/copies')).headers.get('changes-position')
    expect((await api.patch('/copies/c1', { copy: { title: 'A2' } })).status).toBe(200)
    expect((await api.delete('/copies/c3')).status).toBeLessThan(300)
    const answers = async () => {
      const paths = [
        '/copies',
        '/copies/c1/versions',
        '/copies/c1/versions/1',
        '/copies/trash',
        '/copies/trash/c3',
        `/copies/changes?since=${since}`,
        '/copies?withFacets=place,sign',
        '/copies/groups?groupBy=place,sign&withAggregates=count',
        '/copies?filter[place]=in+vault',
      ]
      await transactionsEnded()
      const responses = await Promise.all(paths.map((path) => api.get(path)))
      expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200))
      return responses.map(({ text }) => text).join('\n')
    }
    const before = await answers()
    expect(before).toContain('in main')
    expect(before).not.toContain('vault')
    await router.items(Branch).delete('vault')
    const after = await answers()
    expect(after).toContain('in main')
    expect(after).toContain('in stock')
    expect(after).not.toContain('vault')
  })

  it('is in no document of who cannot read it', async () => {
    const router = createRouter({
      policy: rest(),
      store: await make(),
      security: { authentication: [byName], callerSchema: Caller },
    })
    router.prepare(Shop)
    router.prepare(Book).access(({ signedIn }) => ({
      fields: { cost: { read: signedIn }, margin: { read: signedIn } },
    }))
    const text = JSON.stringify(router.toOpenApi({ info: { title: 'T', version: '1' } }))
    expect(text).toContain("Computed from 'margin' and 'title'")
    expect(router.describeAccess().book?.fields).toMatchObject({
      cost: { read: { kind: 'signedIn' } },
      margin: { read: { kind: 'and' } },
      grade: { read: { kind: 'and' } },
    })
    const api = client(router)
    await router.load(Book, [{ id: 'b1', title: 'A', owner: 'ann', price: 10, cost: 4 }])
    expect((await api.get('/books/b1')).text).not.toMatch(/margin|grade|cost/)
    expect((await api.get('/books/b1', as('ann'))).at('/book/grade')).toBe('A 6')
  })

  it('is hidden with what a mapper hides', async () => {
    const router = createRouter({ policy: rest(), store: await make() })
    router.prepare(Shop)
    router.prepare(Book).map((book) => book, { hides: ['cost'], writable: ['cost'] })
    const api = client(router)
    const created = await api.post('/books', {
      book: { title: 'A', owner: 'ann', price: 10, cost: 4 },
    })
    expect(created.status).toBe(201)
    expect(created.text).not.toMatch(/margin|grade|cost/)
    expect((await api.get('/books?filter[margin]=6')).status).toBe(400)
  })
})

describe('A declaration of a derived value', () => {
  const registered = (fields: object, options: object = {}) => {
    const router = createRouter({ policy: rest(), store: { open: async () => {} } as never })
    router.prepare(model('book', fields as never, options as never))
    return () => router.rules
  }
  const of = (...from: readonly string[]) =>
    derived({ from, schema: z.string(), compute: () => 'x' })

  it.each([
    [
      { a: z.string(), b: of('aa') },
      "The field 'b' of the model 'book' is derived from 'aa', which the model does not have. Did you mean 'a'?",
    ],
    [
      { a: of('c'), b: of('a'), c: of('b') },
      "The derived fields of the model 'book' depend on one another: 'a' from 'c' from 'b' from 'a'.",
    ],
    [{ a: of('a') }, "depend on one another: 'a' from 'a'."],
    [{ hash: hash(), b: of('hash') }, "is derived from 'hash', which is the version of the item."],
    [
      { b: of('id') },
      "cannot be derived from 'id': every item has an id, which is not a field. Name value fields and to-one relations only.",
    ],
    [
      { others: toMany('book'), b: of('others') },
      "is derived from 'others', which is a relation to many items. Name value fields and to-one relations only.",
    ],
    [
      { a: field(z.string(), { hidden: true }), b: of('a') },
      "is derived from 'a', which clients cannot read, so they must not read what is derived from it either. Set { hidden: true }.",
    ],
  ])('is refused where nothing can be made of its sources (%#)', (fields, message) => {
    expect(registered(fields)).toThrow(message)
    expect(registered(fields)).toThrow(RegistrationError)
  })

  it('is refused with invalid options', () => {
    const valid = { from: ['a'], schema: z.string(), compute: () => 'x' } as const
    const declare = (options: object) => () => derived({ ...valid, ...options } as never)
    expect(declare({ from: [] })).toThrow("The option 'from' of derived() must name at least one")
    expect(declare({ from: ['a', 'a'] })).toThrow('each once')
    expect(declare({ from: 'minutes' })).toThrow(
      "The option 'from' of derived() must be an array of names, such as ['price', 'discount'].",
    )
    expect(declare({ compute: 'x' })).toThrow(
      "The option 'compute' of derived() must be a function",
    )
    expect(declare({ schema: undefined })).toThrow(
      "The option 'schema' of derived() must be a schema",
    )
    expect(declare({ compute: async () => 'x' })).toThrow('that is not async')
    expect(declare({ version: 0 })).toThrow("'version'")
    expect(declare({ readOnly: true })).toThrow("'readOnly'")
  })

  it('is refused as part of a key, and where rules set it or say who writes it', () => {
    expect(registered({ a: z.string(), b: of('a') }, { key: ['b'] })).toThrow('part of the key')
    const Guarded = model('book', { a: z.string(), b: of('a') })
    const withRules = (rules: object) => () => {
      const router = createRouter({ policy: rest(), store: { open: async () => {} } as never })
      router.prepare(Guarded).access((() => rules) as never)
      return router.rules
    }
    expect(withRules({ set: { b: 'x' } })).toThrow("set 'b', which the service computes")
  })
})
