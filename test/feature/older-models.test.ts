import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import {
  createRouter,
  field,
  hash,
  image,
  list,
  model,
  type Policy,
  RegistrationError,
  struct,
  file as text,
  toMany,
  toOne,
} from '../../src/index.ts'
import { jsonApi } from '../../src/policy/json-api/json-api.ts'
import { rest } from '../../src/policy/rest/rest.ts'
import { memoryBlobs } from '../../src/store/memory/memory.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import type { Fields } from '../../src/types.ts'
import { temporaryFile } from '../support/sqlite-bookshelf.ts'

const title = z.string()
const secret = z.string().optional()

/** The compared members of responses, of both policies. */
interface ItemResponse {
  readonly film: { readonly id: string; readonly hash?: string }
  readonly data: {
    readonly id: string
    readonly attributes: object
    readonly relationships: object
    readonly links: object
  }
}

/** A service over the file, whose films have these fields. */
function films(file: string, fields: Fields, policy: Policy = rest()) {
  const Film = model('film', fields)
  const router = createRouter({
    policy,
    store: sqlite(file, { durability: 'normal' }),
    blobs: memoryBlobs(),
  })
  router.prepare(Film)
  router.prepare(model('studio', { name: z.string() }))
  onTestFinished(() => router.close())
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = {
      'content-type': policy.name === 'json-api' ? 'application/vnd.api+json' : 'application/json',
    }
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    return router.handle(new Request(`http://localhost${path}`, { method, headers, ...init }))
  }
  return {
    router,
    Film,
    call,
    get: async (path: string) => (await (await call('GET', path)).json()) as ItemResponse,
    patch: (id: string, film: object) => call('PATCH', `/films/${id}`, { film }),
  }
}

/** A file in which films were stored by a model with these fields. */
async function fileOf(
  fields: Fields,
  ...items: { id: string; [member: string]: unknown }[]
): Promise<string> {
  const file = temporaryFile()
  const { router, Film } = films(file, fields)
  await router.load(Film, items)
  await router.close()
  return file
}

const policies = [
  { name: 'rest', policy: rest, membersOf: ({ film }: ItemResponse) => film },
  {
    name: 'json-api',
    policy: jsonApi,
    membersOf: ({ data }: ItemResponse) => ({ id: data.id, ...data.attributes }),
  },
]

for (const { name, policy, membersOf } of policies) {
  test(`a member that became hidden or write-only, or was removed, is no longer sent with existing items (${name})`, async () => {
    const file = await fileOf({ title, secret }, { id: 'm', title: 'M', secret: 'seen' })
    for (const later of [
      { secret: field(secret, { hidden: true }) },
      { secret: field(secret, { writeOnly: true }) },
      {},
    ]) {
      const { get, call, router } = films(file, { title, ...later }, policy())
      expect(membersOf(await get('/films/m'))).toEqual({ id: 'm', title: 'M' })
      expect(await (await call('GET', '/films')).text()).not.toContain('seen')
      await router.close()
    }
  })

  test(`a new member has its default in existing items (${name})`, async () => {
    const file = await fileOf({ title }, { id: 'm', title: 'M' })
    const { get } = films(file, { title, rating: z.int().default(3) }, policy())
    expect(membersOf(await get('/films/m'))).toEqual({ id: 'm', title: 'M', rating: 3 })
    expect(JSON.stringify(await get('/films?filter[rating]=3'))).toContain('"m"')
  })
}

test('new relations and resources are null or empty in existing items', async () => {
  const file = await fileOf({ title }, { id: 'm', title: 'M' })
  const later = {
    title,
    studio: toOne('studio', { optional: true }),
    sequels: toMany('film'),
    poster: image(),
  }
  const one = films(file, later)
  expect(await one.get('/films/m')).toEqual({
    film: { id: 'm', title: 'M', studio: null, sequels: [], poster: null },
  })
  await one.router.close()
  const { data } = await films(file, later, jsonApi()).get('/films/m')
  expect(data.relationships).toMatchObject({ studio: { data: null }, sequels: { data: [] } })
  expect(data.links).toMatchObject({ poster: null })
})

test('existing items get a version when their model does, and it guards writes', async () => {
  const file = await fileOf({ title }, { id: 'm', title: 'M' })
  const { call } = films(file, { title, hash: hash() })
  const response = await call('GET', '/films/m')
  const { film } = (await response.json()) as ItemResponse
  expect(response.headers.get('etag')).toBe(`"${film.hash}"`)
  expect(film.hash).toMatch(/^[\w-]{43}$/)
})

test('an item that migration changes gets a new version', async () => {
  const file = await fileOf({ title, secret, hash: hash() }, { id: 'm', title: 'M', secret: 's' })
  const one = films(file, { title, secret, hash: hash() })
  const first = (await one.call('GET', '/films/m')).headers.get('etag')
  await one.router.close()
  const other = films(file, { title, hash: hash() })
  expect((await other.call('GET', '/films/m')).headers.get('etag')).not.toBe(first)
})

test('an item that migration does not change keeps its version', async () => {
  const file = await fileOf({ title, hash: hash() }, { id: 'm', title: 'M' })
  const one = films(file, { title, hash: hash() })
  const first = (await one.call('GET', '/films/m')).headers.get('etag')
  await one.router.close()
  const other = films(file, {
    hash: hash(),
    note: z.string().optional(),
    title: field(title, { index: true }),
  })
  expect((await other.call('GET', '/films/m')).headers.get('etag')).toBe(first)
})

test('members of a removed field are not lost: a model that declares the field again restores them', async () => {
  const file = await fileOf(
    { title, secret, sequels: toMany('film') },
    { id: 'm', title: 'M', secret: 's', sequels: ['m'] },
  )
  await films(file, { title }).get('/films/m')
  const { get } = films(file, { title, secret, sequels: toMany('film') })
  expect(await get('/films/m')).toEqual({
    film: { id: 'm', title: 'M', secret: 's', sequels: ['m'] },
  })
  expect(await get('/films?filter[sequels][any]=m')).toMatchObject({ films: [{ id: 'm' }] })
})

test('a binary resource of a removed field is not sent, and is restored when the field is declared again', async () => {
  const file = temporaryFile()
  const blobs = memoryBlobs()
  const open = (fields: Fields) => {
    const Film = model('film', fields)
    const router = createRouter({ policy: rest(), store: sqlite(file), blobs })
    router.prepare(Film)
    onTestFinished(() => router.close())
    return {
      router,
      Film,
      get: async (path: string) => router.handle(new Request(`http://localhost${path}`)),
    }
  }
  const poster = image()
  const bytes = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4DwABAQEAGN2NsAAAAABJRU5ErkJggg==',
    'base64',
  )
  const first = open({ title, poster, still: image() })
  await first.router.load(first.Film, [{ id: 'm', title: 'M' }])
  await first.router.loadResource(
    first.Film,
    { id: 'm', path: 'poster' },
    { bytes, contentType: 'image/png' },
  )
  await first.router.close()
  const second = open({ title, still: image() })
  expect(await (await second.get('/films/m')).json()).toEqual({
    film: { id: 'm', title: 'M', still: null },
  })
  await second.router.close()
  const altered = open({ title, poster: z.string().optional(), still: image() })
  expect(await (await altered.get('/films/m')).json()).toEqual({
    film: { id: 'm', title: 'M', still: null },
  })
  await altered.router.close()
  const third = open({ title, poster, still: image() })
  expect(Buffer.from(await (await third.get('/films/m/poster')).arrayBuffer())).toEqual(bytes)
})

test('a binary resource within a value is restored when it is declared again', async () => {
  const [file, blobs] = [temporaryFile(), memoryBlobs()]
  const open = (editions: Fields[string]) => {
    const Film = model('film', { title, editions })
    const router = createRouter({
      policy: rest(),
      store: sqlite(file, { durability: 'normal' }),
      blobs,
    })
    router.prepare(Film)
    onTestFinished(() => router.close())
    return { router, Film }
  }
  const withText = list(struct({ year: z.int(), text: text({ types: ['text/plain'] }) }))
  const first = open(withText)
  await first.router.load(first.Film, [{ id: 'm', title: 'M', editions: [{ year: 1931 }] }])
  const query = { id: 'm', path: 'editions/0/text' }
  await first.router.loadResource(first.Film, query, {
    bytes: Buffer.from('M'),
    contentType: 'text/plain',
  })
  await first.router.close()
  const second = open(z.array(z.object({ year: z.int() })))
  await second.router.open()
  await second.router.close()
  const { router } = open(withText)
  const get = (path: string) => router.handle(new Request(`http://localhost${path}`))
  expect(await (await get('/films/m')).json()).toMatchObject({
    film: { editions: [{ year: 1931, text: { size: 1 } }] },
  })
  expect(await (await get('/films/m/editions/0/text')).text()).toBe('M')
})

test('the value of a field that became a relation is archived', async () => {
  const file = await fileOf(
    { title, studio: z.object({ name: z.string() }) },
    { id: 'm', title: 'M', studio: { name: 'UFA' } },
  )
  const { get } = films(file, { title, studio: toOne('studio', { optional: true }) })
  expect(await get('/films/m')).toEqual({ film: { id: 'm', title: 'M', studio: null } })
})

test('an id field that became a relation is sent as one, and the other way round', async () => {
  const forms = [{ studio: z.string() }, { studio: toOne('studio') }]
  const item = { id: 'm', title: 'M', studio: 'ufa' }
  for (const [before, after, member] of [
    [forms[0]!, forms[1]!, { relationships: { studio: { data: { type: 'studios', id: 'ufa' } } } }],
    [forms[1]!, forms[0]!, { attributes: { title: 'M', studio: 'ufa' } }],
  ] as const) {
    const file = await fileOf({ title, ...before }, item)
    const { data } = await films(file, { title, ...after }, jsonApi()).get('/films/m')
    expect(data).toMatchObject(member)
  }
})

test('an item does not inherit the relations of a deleted item with the same id', async () => {
  const fields = { title, sequels: toMany('film') }
  const file = await fileOf(
    fields,
    { id: 'm', title: 'M', sequels: ['n'] },
    { id: 'n', title: 'N' },
  )
  const without = films(file, { title })
  await without.call('DELETE', '/films/m')
  await without.router.close()
  const { call, get } = films(file, fields)
  await call('POST', '/films', { film: { id: 'm', title: 'Another' } })
  expect(await get('/films?filter[sequels][any]=n')).toEqual({ films: [] })
})

test('a constant default in a unique field is refused when the store opens', async () => {
  const file = await fileOf({ title }, { id: 'a', title: 'A' }, { id: 'b', title: 'B' })
  const { router } = films(file, { title, code: field(z.string().default('x'), { unique: true }) })
  await expect(router.open()).rejects.toThrow(
    "The field 'code' of the model 'film' is unique, but the items 'a' and 'b' both have the value 'x'.",
  )
  await expect(router.open()).rejects.toThrow(RegistrationError)
})

test('a field that becomes unique is refused when the store opens if items share a value: the value and the items are named', async () => {
  const code = z.string().optional()
  const items = ['a', 'b', 'c'].map((id) => ({ id, title: id, code: id === 'a' ? 'one' : 'two' }))
  const file = await fileOf({ title, code }, ...items)
  const { router } = films(file, { title, code: field(code, { unique: true }) })
  await expect(router.open()).rejects.toThrow(
    "The field 'code' of the model 'film' is unique, but the items 'b' and 'c' both have the value 'two'.",
  )
  await expect(router.open()).rejects.toThrow(RegistrationError)
})

test('a shared value of a hidden field is not named', async () => {
  const code = z.string().optional()
  const hidden = field(code, { hidden: true })
  const file = await fileOf(
    { title, code: hidden },
    { id: 'a', title: 'A', code: 'x' },
    { id: 'b', title: 'B', code: 'x' },
  )
  const { router } = films(file, { title, code: field(code, { hidden: true, unique: true }) })
  await expect(router.open()).rejects.toThrow("the items 'a' and 'b' both have the same value.")
})
