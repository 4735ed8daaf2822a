import { action, field, file, type Middleware, model, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createRouter } from '../../src/api/create-router.ts'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Person = model('person', { name: z.string() })

/** The model under which the items were written. */
const Before = model('book', {
  title: z.string(),
  note: z.string().optional(),
  author: toOne('person', { optional: true }),
  scan: file(),
  pages: z.int(),
  size: z.object({ width: z.number(), depth: z.number() }),
  depths: z.array(z.number().nullable()),
  slug: z.string(),
  rank: z.int().nullish(),
  begins: z.int(),
  ends: z.int(),
})

const short = z.string().refine((text) => text.length <= 5, 'at most 5 characters')
const small = z.number().refine((value) => value <= 10, 'at most 10')

/** A stricter one. JSON Schema tells none of its rules, so the document describes the items. */
class Book extends model('book', {
  title: short,
  note: z.string().optional(),
  author: toOne('person', { optional: true }),
  scan: file(),
  pages: field(
    z.int().refine((value) => value < 100, 'below 100'),
    { unique: true },
  ),
  size: z.object({ width: small, depth: small }),
  depths: z.array(z.number().nullable()).refine((all) => !all.includes(null), 'no null'),
  slug: z
    .string()
    .transform((text) => `${text}!`)
    .pipe(z.string()),
  rank: z.coerce
    .number()
    .int()
    .refine((value) => value > 0, 'above 0')
    .nullish(),
  begins: z.int(),
  ends: z.int(),
}) {
  annotate(): void {
    this.note = 'annotated'
  }

  lengthen(): void {
    this.title = `${this.title}…`
  }

  static {
    action(this, 'annotate')
    action(this, 'lengthen')
  }
}

const Checked = model(
  'book',
  { ...Book.fields },
  {
    validate: ({ begins, ends }, issue) => {
      if (ends < begins) issue('ends', 'must not be before begins')
    },
  },
)

const stored = {
  id: 'b-1',
  title: 'A long title',
  pages: 1_000,
  size: { width: 50, depth: 5 },
  depths: [12, null],
  slug: 'a',
  rank: -1,
  begins: 5,
  ends: 9,
}

const policies = [
  { policy: rest(), type: 'application/json' },
  { policy: jsonApi(), type: 'application/vnd.api+json' },
]

describe.each(stores)('An item with values that do not fit its model, on $name', ({ makeData }) => {
  const opened = async (
    { policy, type }: (typeof policies)[number],
    { book = Book, use }: { book?: typeof Checked | typeof Book; use?: Middleware } = {},
  ) => {
    const newStore = await makeData()
    const blobs = memoryBlobs()
    const before = createRouter({ policy: rest(), store: newStore(), blobs })
    for (const model of [Before, Person]) before.prepare(model)
    await before.load(Person, [{ id: 'p-1', name: 'P' }])
    await before.load(Before, [stored])
    await before.close()
    const router = createRouter({ policy, store: newStore(), blobs })
    if (use) router.use(use)
    for (const model of [book, Person]) router.prepare(model)
    onTestFinished(() => router.close())
    const api = client(router, undefined, type)
    const isRest = policy.name === 'rest'
    return {
      api,
      /** The members of the item in a response, by name. */
      members: (response: Awaited<ReturnType<typeof api.get>>): Record<string, unknown> =>
        (response.at(isRest ? '/book' : '/data/attributes') ?? {}) as never,
      body: (attributes: object): object =>
        isRest ? { book: attributes } : { data: { type: 'books', id: 'b-1', attributes } },
    }
  }
  const { id: _, ...values } = stored

  it.each(policies)(
    'is changed by PATCH in what the client sends: $policy.name',
    async (policy) => {
      const { api, members, body } = await opened(policy)
      const changed = await api.patch('/books/b-1', body({ note: 'x' }))
      expect([changed.status, members(changed)]).toEqual([
        200,
        expect.objectContaining({ ...values, note: 'x' }),
      ])
      expect(members(await api.get('/books/b-1'))).toMatchObject({ ...values, note: 'x' })
    },
  )

  it.each(policies)(
    'is refused where the client sends such a value: $policy.name',
    async (policy) => {
      const { api, body } = await opened(policy)
      const messages = (response: Awaited<ReturnType<typeof api.get>>) => [
        response.status,
        response.errors.map(({ detail }) => detail),
      ]
      expect(
        messages(await api.patch('/books/b-1', body({ note: 'x', title: stored.title }))),
      ).toEqual([422, ["Invalid value for 'title': at most 5 characters."]])
      // An object is one member.
      expect(messages(await api.patch('/books/b-1', body({ size: { depth: 6 } })))).toEqual([
        422,
        ["Invalid value for 'size.width': at most 10."],
      ])
      const all = [
        "Invalid value for 'title': at most 5 characters.",
        "Invalid value for 'pages': below 100.",
        "Invalid value for 'size.width': at most 10.",
        "Invalid value for 'depths': no null.",
      ]
      if (policy.policy.name !== 'rest') return
      expect(messages(await api.put('/books/b-1', body({ ...values, rank: 1 })))).toEqual([
        422,
        all,
      ])
      expect(messages(await api.post('/books', body({ ...values, rank: 1 })))).toEqual([422, all])
    },
  )

  it('is changed by PATCH where the client corrects one of several values', async () => {
    const { api, members, body } = await opened(policies[0]!)
    const changed = await api.patch('/books/b-1', body({ title: 'Short' }))
    expect([changed.status, members(changed)]).toMatchObject([200, { ...values, title: 'Short' }])
  })

  it('is changed by actions in what they set', async () => {
    const { api, members } = await opened(policies[0]!)
    expect(members(await api.post('/books/b-1/annotate'))).toMatchObject({
      ...values,
      note: 'annotated',
    })
    expect((await api.post('/books/b-1/lengthen')).errors.map(({ detail }) => detail)).toEqual([
      "The action 'lengthen' produced an invalid book: 'title': at most 5 characters.",
    ])
  })

  it('is changed by writes of a relationship, and by uploads', async () => {
    const { api, members } = await opened(policies[1]!)
    const linked = await api.patch('/books/b-1/relationships/author', {
      data: { type: 'people', id: 'p-1' },
    })
    expect(linked.status).toBeLessThan(300)
    const scanned = await api.post('/books/b-1/scan', 'text', { 'content-type': 'text/plain' })
    expect(scanned.status).toBeLessThan(300)
    expect(members(await api.get('/books/b-1'))).toMatchObject(values)
  })

  it('is refused where a rule over the whole item, or a hook, finds a fault', async () => {
    const { api, body } = await opened(policies[0]!, { book: Checked })
    expect((await api.patch('/books/b-1', body({ note: 'x' }))).status).toBe(200)
    const late = await api.patch('/books/b-1', body({ begins: 10 }))
    expect([late.status, late.errors.map(({ detail }) => detail)]).toEqual([
      422,
      ["'ends' must not be before begins."],
    ])
    const hooked = await opened(policies[0]!, {
      use: {
        write: {
          before: (write) => {
            if (write.kind === 'update') write.next.title += '…'
          },
        },
      },
    })
    const changed = await hooked.api.patch('/books/b-1', body({ note: 'x' }))
    expect([changed.status, changed.errors.map(({ detail }) => detail)]).toEqual([
      422,
      ["'title' is invalid: at most 5 characters."],
    ])
  })
})
