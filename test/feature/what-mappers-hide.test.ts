import {
  action,
  createRouter,
  field,
  hash,
  model,
  type Router,
  refuse,
  toMany,
  toOne,
} from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { MapperOptions } from 'resourcery/types'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { policies } from '../support/policies.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string(), books: toMany('book', { inverse: 'author' }) })
class Book extends model('book', {
  title: z.string(),
  bio: z.string().optional(),
  rank: z.int().default(3),
  addedBy: field(z.string().default('import'), { readOnly: true }),
  author: toOne('author', { optional: true }),
  fans: toMany('author'),
  hash: hash(),
}) {
  describe({ bio }: { bio: string }): void {
    this.bio = bio
  }

  static {
    action(this, 'describe', { input: z.object({ bio: z.string() }) })
  }
}

const stored = {
  id: 'b-1',
  title: 'Dune',
  bio: 'long',
  rank: 5,
  addedBy: 'me',
  author: 'a-1',
  fans: ['a-2'],
}
const hides = ['bio', 'rank', 'addedBy', 'author', 'fans', 'hash']

describe.each(
  policies.flatMap((kind) =>
    stores.map((store) => [kind.name, store.name, kind, store.make] as const),
  ),
)('What mappers hide, under %s on %s', (policy, _, kind, make) => {
  const isPlain = policy === 'plain REST'

  const hiding = async (...declared: readonly MapperOptions[]) => {
    const router = kind.router(await make())
    router.prepare(Author)
    const book = router.prepare(Book)
    for (const options of declared) book.map((entry) => entry, options)
    await router.load(Author, [
      { id: 'a-1', name: 'Frank' },
      { id: 'a-2', name: 'Jane' },
    ])
    await router.load(Book, [stored, { id: 'b-2', title: 'Emma', bio: 'brief', author: 'a-2' }])
    return { api: kind.client(router), router }
  }

  const isRelation = (name: string) => ['author', 'fans', 'books', 'nosuchlink'].includes(name)
  const linkage = (value: unknown) =>
    Array.isArray(value)
      ? value.map((id) => ({ type: 'authors', id }))
      : { type: 'authors', id: value }
  const document = (id: string | undefined, members: Readonly<Record<string, unknown>>) => {
    if (isPlain) return { book: { ...members, ...(id !== undefined && { id }) } }
    const part = (linked: boolean) =>
      Object.entries(members).filter(([name]) => isRelation(name) === linked)
    return {
      data: {
        type: 'books',
        id,
        attributes: Object.fromEntries(part(false)),
        relationships: Object.fromEntries(
          part(true).map(([name, value]) => [name, { data: linkage(value) }]),
        ),
      },
    }
  }
  const inStore = async (router: Router, id: string) => {
    for await (const item of router.query(Book).where('id').equal(id).exec()) return item
    return undefined
  }

  const values: Readonly<Record<string, unknown>> = {
    bio: 'x',
    rank: 1,
    addedBy: 'x',
    hash: 'x',
    author: 'a-2',
    fans: ['a-1'],
  }

  it.each(hides)(
    '%s cannot be written: it is refused in the words for an unknown member',
    async (name) => {
      const { api, router } = await hiding({ hides })
      const unknown = isRelation(name) ? 'nosuchlink' : 'nosuch'
      for (const [method, path, id] of [
        ['POST', '/books', undefined],
        ['PATCH', '/books/b-1', 'b-1'],
        ...(isPlain ? ([['PUT', '/books/b-1', 'b-1']] as const) : []),
      ] as const) {
        const detailOf = async (member: string) => {
          const response = await api.send(
            method,
            path,
            document(id, { title: 'x', [member]: values[name] }),
          )
          expect([response.status, response.errors.map(({ code }) => code)], method).toEqual([
            422,
            ['unknown-member'],
          ])
          return response.text.replaceAll(member, 'NAME')
        }
        expect(await detailOf(name), method).toBe(await detailOf(unknown))
      }
      expect(await inStore(router, 'b-1')).toMatchObject({
        title: 'Dune',
        bio: 'long',
        rank: 5,
        addedBy: 'me',
      })
    },
  )

  it('keeps its value when the item is changed, and new items get its default', async () => {
    const { api, router } = await hiding({ hides })
    const changed = await api.send(
      isPlain ? 'PUT' : 'PATCH',
      '/books/b-1',
      document('b-1', { title: 'Changed' }),
    )
    expect(changed.status).toBe(200)
    expect(await inStore(router, 'b-1')).toMatchObject({ ...stored, title: 'Changed' })
    expect((await api.post('/books', document('b-3', { title: 'New' }))).status).toBe(201)
    expect(await inStore(router, 'b-3')).toMatchObject({
      rank: 3,
      addedBy: 'import',
      author: null,
      fans: [],
    })
  })

  it('can be written where its mapper says that it is writable, is still not shown, and keeps its value when it is left out', async () => {
    const { api, router } = await hiding({ hides, writable: ['bio', 'author', 'fans'] })
    const patch = document('b-1', { title: 'Dune', bio: 'new', author: 'a-2', fans: ['a-1'] })
    const responses = [
      await api.patch('/books/b-1', patch),
      await api.patch('/books/b-1', document('b-1', { title: 'x' })),
    ]
    if (isPlain) responses.push(await api.put('/books/b-1', document('b-1', { title: 'x' })))
    for (const response of responses) {
      expect(response.status).toBe(200)
      expect(response.text).not.toMatch(/bio|author"|fans/)
    }
    expect(await inStore(router, 'b-1')).toMatchObject({
      title: 'x',
      bio: 'new',
      author: 'a-2',
      fans: ['a-1'],
    })
    expect((await api.patch('/books/b-1', document('b-1', { rank: 1 }))).status).toBe(422)
  })

  it('is writable only where each mapper that hides it says so', async () => {
    const { api } = await hiding(
      { hides: ['bio', 'rank'], writable: ['bio', 'rank'] },
      { hides: ['bio'] },
    )
    expect((await api.patch('/books/b-1', document('b-1', { bio: 'x' }))).status).toBe(422)
    expect((await api.patch('/books/b-1', document('b-1', { rank: 1 }))).status).toBe(200)
    const hidden = await hiding(
      { hides: ['bio', 'rank'], filterable: ['bio', 'rank'] },
      { hides: ['bio'] },
    )
    expect((await hidden.api.get('/books?filter[bio]=x')).status).toBe(400)
    expect((await hidden.api.get('/books?filter[rank]=1')).status).toBe(200)
  })

  it('can be filtered and sorted by where its mapper says that it is filterable, and is still neither selected nor shown', async () => {
    const { api } = await hiding({
      hides: ['bio', 'author', 'fans'],
      filterable: ['bio', 'author', 'fans'],
    })
    const ids = async (query: string) => {
      const response = await api.get(`/books?${query}`)
      expect([response.status, response.text.includes('"bio"')], query).toEqual([200, false])
      return isPlain
        ? response.ids('books')
        : (response.at('/data') as { id: string }[]).map(({ id }) => id)
    }
    expect(await ids('filter[bio]=brief')).toEqual(['b-2'])
    expect(await ids('filter[author]=a-1')).toEqual(['b-1'])
    expect(await ids('filter[author.name][contains]=Jane')).toEqual(['b-2'])
    expect(await ids('filter[fans][any]=a-2')).toEqual(['b-1'])
    expect(await ids('sort=bio')).toEqual(['b-2', 'b-1'])
    expect(await ids('sort=-author.name')).toEqual(['b-2', 'b-1'])
    for (const query of ['fields[books]=bio', 'include=author'])
      expect((await api.get(`/books?${query}`)).status, query).toBe(400)
    const page = await api.get('/books?sort=bio&page[size]=1')
    const cursors = [
      ...(page.headers.get('link') ?? page.text).matchAll(
        /page(?:%5B|\[)after(?:%5D|\])=([\w.-]+)/g,
      ),
    ]
    expect(cursors.length).toBeGreaterThan(0)
    for (const [, cursor] of cursors)
      expect(Buffer.from(cursor!, 'base64url').toString('latin1')).not.toContain('brief')
  })

  it('is among the suggestions for an unknown filter only where it is filterable', async () => {
    const detailOf = async (options: MapperOptions) =>
      (await (await hiding(options)).api.get('/books?filter[nosuch]=1')).errors[0]?.detail
    expect(await detailOf({ hides: ['bio'] })).not.toContain('bio')
    expect(await detailOf({ hides: ['bio'], filterable: ['bio'] })).toContain('bio')
  })

  it('is guarded by the request hooks of the related model where it is filterable', async () => {
    const router = kind.router(await make())
    router.prepare(Author).map((entry) => entry, { hides: ['books'], filterable: ['books'] })
    router.prepare(Book).use({ request: { getItem: () => refuse('forbidden', 'No books.') } })
    await router.load(Author, [{ id: 'a-1', name: 'Frank' }])
    const api = kind.client(router)
    expect((await api.get('/authors?filter[books][any]=b-1')).status).toBe(403)
    const all = await api.get('/authors')
    expect([all.status, all.headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
  })

  it.skipIf(isPlain)('cannot be written by the operations of a batch either', async () => {
    const { api, router } = await hiding({ hides: ['bio'] })
    const type = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
    const operate = (members: object) => {
      const data = { type: 'books', id: 'b-1', attributes: members }
      return api.post(
        '/operations',
        { 'atomic:operations': [{ op: 'update', data }] },
        { 'content-type': type, accept: type },
      )
    }
    expect((await operate({ title: 'x' })).status).toBe(200)
    const response = await operate({ title: 'y', bio: 'new' })
    expect([response.status, response.errors[0]?.source]).toEqual([
      422,
      { pointer: '/atomic:operations/0/data/attributes/bio' },
    ])
    expect(await inStore(router, 'b-1')).toMatchObject({ title: 'x', bio: 'long' })
  })

  it('can be set by actions, which have their own input', async () => {
    const { api, router } = await hiding({ hides })
    const response = await api.post('/books/b-1/describe', kind.input({ bio: 'by an action' }))
    expect([response.status, response.text.includes('by an action')]).toEqual([200, false])
    expect(await inStore(router, 'b-1')).toMatchObject({ bio: 'by an action' })
  })
})

it('Creating is 403 where an asynchronous schema requires a member that a mapper hides, and the error does not name it', async () => {
  const router = createRouter({ policy: rest(), store: memory() })
  const note = z
    .string()
    .optional()
    .refine(async (text) => text !== undefined)
  router
    .prepare(model('memo', { title: z.string(), note }))
    .map((entry) => entry, { hides: ['note'] })
  const response = await policies[0]!.client(router).post('/memos', { memo: { title: 'x' } })
  expect([response.status, response.text.includes('note')]).toEqual([403, false])
  const { post } = router.toOpenApi().paths!['/memos'] as { post: { responses: object } }
  expect(Object.keys(post.responses)).toContain('403')
})

describe('Registration refuses a mapper', () => {
  const Needy = model('need', {
    name: z.string(),
    owner: toOne('author'),
    secret: field(z.string().optional(), { hidden: true }),
    draft: field(z.string().optional(), { writeOnly: true }),
    unasked: field(z.string().optional(), { filter: false, sort: false }),
    made: field(z.string(), { readOnly: true }),
    later: z
      .string()
      .refine(async () => true)
      .optional(),
    parts: toMany('need', { inverse: 'whole' }),
    whole: toOne('need', { optional: true }),
    hash: hash(),
  })
  const registered = (options: object) => () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(Author)
    router.prepare(Book)
    router.prepare(Needy).map((entry) => entry, options)
    return router.rules
  }

  it.each<[string, object, RegExp]>([
    [
      'that says of what it does not hide that it is writable',
      { hides: ['whole'], writable: ['later'] },
      /'writable' of a mapper of 'need' names 'later'; expected one of the names that it hides: whole\./,
    ],
    [
      'that says so of what it does not hide of filters',
      { filterable: ['name'] },
      /'filterable' of a mapper of 'need' names 'name'; .*none/,
    ],
    ['that meant another', { hides: ['whole'], writable: ['hwole'] }, /Did you mean 'whole'\?/],
    [
      'that lists no names',
      { hides: ['whole'], writable: true },
      /'writable' .* must be an array of names; got true/,
    ],
    [
      'that hides a name that is no list',
      { hides: 'whole' },
      /'hides' .* must be an array of names; got 'whole'/,
    ],
    [
      'that says of a hash that it is writable',
      { hides: ['hash'], writable: ['hash'] },
      /names 'hash', but the service computes it/,
    ],
    [
      'that says of a hidden field that it is writable',
      { hides: ['secret'], writable: ['secret'] },
      /the field is hidden/,
    ],
    [
      'that says of a read-only field that it is writable',
      { hides: ['made'], writable: ['made'] },
      /the field is readOnly/,
    ],
    [
      'that says of an inverse relation that it is writable',
      { hides: ['parts'], writable: ['parts'] },
      /clients write it from the other side/,
    ],
    [
      'that says of a hash that it is filterable',
      { hides: ['hash'], filterable: ['hash'] },
      /neither filters nor sorting/,
    ],
    [
      'that says of a write-only field that it is filterable',
      { hides: ['draft'], filterable: ['draft'] },
      /the field is writeOnly/,
    ],
    [
      'that says so of a field which says otherwise',
      { hides: ['unasked'], filterable: ['unasked'] },
      /filter: false and sort: false/,
    ],
    [
      'that hides a value which every new item needs',
      { hides: ['name'] },
      /hides the required field 'name', so clients cannot create a need\. Add it to 'writable'/,
    ],
    [
      'that hides a relation which every new item needs',
      { hides: ['owner'] },
      /hides the required field 'owner'/,
    ],
  ])('%s', (_, options, message) => {
    expect(registered(options)).toThrow(message)
  })

  it('and accepts members with a default, optional members, and writable members', () => {
    const options = {
      hides: ['name', 'owner', 'made', 'secret', 'later', 'whole', 'parts'],
      writable: ['name', 'owner'],
    }
    expect(registered(options)).not.toThrow()
  })
})
