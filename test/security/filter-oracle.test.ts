import { hash as digest } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { createRouter, field, type Middleware, model, type Router } from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  failOnFault,
  get,
  type Listing,
  type OpenedStore,
  openStore,
  type Problems,
  send,
  storeForTest,
  storeKinds,
  type TestResponse,
} from '../http/service.ts'
import { queries, towardsGhost } from './hidden-questions.ts'
import {
  absent,
  forms,
  hiddenNames,
  itemPlaces,
  onlyOpen,
  places,
  plainForms,
  secret,
  type World,
  worldOf,
  wrongGuess,
} from './hidden-world.ts'

/**
 * The part of a response that a client could compare, without the names and guesses that it sent
 * itself.
 */
function fingerprint(response: TestResponse, replaced: readonly string[]): string {
  const headers = [...response.headers].filter(([name]) => name !== 'date').sort()
  let text = `${response.status}\n${JSON.stringify(headers)}\n${response.text}`
  for (const name of replaced) {
    if (name === '') continue
    // A version may contain a short name by chance.
    for (const spelled of new Set([
      name,
      JSON.stringify(name).slice(1, -1),
      encodeURIComponent(name),
    ]))
      text = text
        .split(/("hash":"[\w-]{43}"|\["etag",[^\]]*\])/)
        .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(spelled, '⟨sent⟩')))
        .join('')
  }
  // The length of a response that repeats the request depends on the request.
  return text.replace(/\["content-length","\d+"\],?/, '')
}

describe.each(storeKinds)('a hidden member, on the %s store', (kind) => {
  let opened: OpenedStore
  let router: Router
  beforeAll(async () => {
    opened = await openStore(kind)
    router = await worldOf(opened.store, { value: secret, ghost: 'Ghost' })
  })
  afterAll(() => opened.dispose())

  // Names are resolved before the store is read.
  const ignored = Object.entries(forms).filter(
    ([form]) => kind === 'memory' || plainForms.includes(form),
  )

  test.each(ignored)(
    '3.2: spelled as %s, it gets the same response as an unknown one, in every parameter, whatever the guess',
    async (spelling, form) => {
      const guesses = [form(absent), absent, secret, wrongGuess, secret.slice(0, 2)]
      const paths = (name: string, guess: string) => [
        ...places(form(name), guess).map((query) => `/api/works?${query}`),
        ...itemPlaces(form(name)).map((query) => `/api/works/k1?${query}`),
      ]
      const missing: string[] = []
      for (const target of paths(absent, secret))
        missing.push(fingerprint(await get(router, target), guesses))
      // Other spellings are tested with one kind of member only.
      const names = plainForms.includes(spelling) ? hiddenNames : hiddenNames.slice(0, 3)
      for (const name of names) {
        for (const guess of plainForms.includes(spelling)
          ? [secret, secret.slice(0, 2), wrongGuess]
          : [secret, wrongGuess]) {
          for (const [index, target] of paths(name, guess).entries()) {
            const response = fingerprint(await get(router, target), [form(name), name, ...guesses])
            if (response !== missing[index])
              expect([target, response]).toEqual([target, missing[index]])
          }
        }
      }
    },
  )

  test('3.2: it is refused, not ignored, where a field is named', async () => {
    for (const name of hiddenNames) {
      for (const query of [
        `filter[${name}]=x`,
        `filter=eq(${name},'x')`,
        `sort=${name}`,
        `fields[works]=${name}`,
      ]) {
        const response = await get(router, `/api/works?${query}`)
        expect([query, response.status, response.json<Problems>().errors[0]?.code]).toEqual([
          query,
          400,
          'unknown-field',
        ])
      }
    }
  })

  test('3.2: it is not among the fields that an error lists', async () => {
    for (const query of [
      'filter[x]=1',
      'sort=x',
      'fields[works]=x',
      'include=x',
      'filter[writer.x]=1',
    ]) {
      const response = await get(router, `/api/works?${query}`)
      expect(response.status).toBe(400)
      expect(withoutVersions(response.text)).not.toContain('qz')
    }
    const writeResponse = await send(router, 'POST', '/api/works', {
      json: { work: { colour: 'red' } },
    })
    // A write-only member can be sent in bodies, and the document names it there.
    expect(withoutVersions(writeResponse.text).replace(/, qzpassed\b/, '')).not.toContain('qz')
  })

  test('3.2: it is in no response', async () => {
    for (const target of [
      '/api/works',
      '/api/works/k1',
      '/api/works?include=writer,editor,helpers,writer.works',
      '/api/writers?include=works',
      '/api/notes?include=work.writer',
      '/api/works?page[size]=1&sort=title',
    ]) {
      const response = await get(router, target)
      expect(response.status).toBe(200)
      // A salted version may contain any two letters by chance.
      const visible = withoutVersions(response.text + JSON.stringify([...response.headers]))
      expect(visible).not.toMatch(new RegExp(`qz|${secret}`))
    }
  })

  const changes: [string, string, (members: object) => unknown][] = [
    ['POST', '/api/works', (members) => ({ work: { title: 'New', writer: 'w1', ...members } })],
    ['PATCH', '/api/works/k2', (members) => ({ work: members })],
    ['PUT', '/api/works/k2', (members) => ({ work: { title: 'Two', writer: 'w2', ...members } })],
  ]

  test.each(changes)(
    '3.2: %s %s with a hidden member gets the same response as one with an unknown member',
    async (method, target, wrap) => {
      const before = (await get(router, '/api/works')).text
      for (const name of ['qzhidden', 'qznested', 'qzmarked', 'qzamount']) {
        for (const value of [
          secret,
          wrongGuess,
          7,
          null,
          { key: secret },
          [secret],
          true,
          { id: secret },
        ]) {
          const guesses = [name, absent, secret, wrongGuess]
          const hidden = fingerprint(
            await send(router, method, target, { json: wrap({ [name]: value }) }),
            guesses,
          )
          const missing = fingerprint(
            await send(router, method, target, { json: wrap({ [absent]: value }) }),
            guesses,
          )
          expect([name, value, hidden]).toEqual([name, value, missing])
          expect(hidden).toMatch(/^422\n/)
        }
      }
      expect((await get(router, '/api/works')).text).toBe(before)
    },
  )

  test('3.2: a hidden member in a body is not stored, whatever else the body holds', async () => {
    const bodies = [
      { work: { qzhidden: 'planted' } },
      { work: { title: 'Changed', qzhidden: 'planted' } },
      { work: {}, qzhidden: 'planted' },
      { work: { 'writer.qzhidden': 'planted' } },
      { work: { 'qznested.key': 'planted' } },
      { work: { 'qznested[key]': 'planted' } },
      { work: { hidden: { qzhidden: 'planted' } } },
    ]
    const before = (await get(router, '/api/works/k2')).text
    for (const json of bodies)
      expect(
        (await send(router, 'PATCH', '/api/works/k2', { json })).status,
      ).toBeGreaterThanOrEqual(400)
    expect((await get(router, '/api/works/k2')).text).toBe(before)
  })

  test('3.2: a write-only member is not in the response to the write that sends it', async () => {
    const title = `Sent to ${kind}`
    const writeResponse = await send(router, 'POST', '/api/works', {
      json: { work: { title, writer: 'w1', qzpassed: secret } },
    })
    expect(writeResponse.status).toBe(201)
    expect(writeResponse.text).not.toContain(secret)
    const faulty = await send(router, 'POST', '/api/works', {
      json: { work: { title, writer: 'w1', qzpassed: { key: secret } } },
    })
    expect(faulty.status).toBe(422)
    expect(faulty.text).not.toContain(secret)
    await send(router, 'DELETE', writeResponse.headers.get('location')!)
  })
})

/**
 * Versions are salted, so they differ between worlds; what they must not reveal is tested below.
 */
const withoutVersions = (text: string) =>
  text
    .replace(/"hash":"[^"]*"/g, '"hash":"…"')
    .replace(/\["etag","[^\]]*"\]/g, '["etag","…"]')
    // Each encrypted cursor is another text of the same length.
    .replace(/(?<=page%5B(?:after|before)%5D=s)[\w-]+/g, (cursor) => `…${cursor.length}`)

const whole = (response: TestResponse) => fingerprint(response, [])

describe.each(storeKinds)('two worlds that differ in hidden data, on the %s store', (kind) => {
  const world = async (differences: World) => worldOf(await storeForTest(kind), differences)

  test('3.2: give byte-identical responses, except versions, whatever hidden members hold', async () => {
    const [one, other] = [
      await world({ value: secret, ghost: 'Ghost' }),
      await world({ value: wrongGuess, ghost: 'Ghost' }),
    ]
    for (const target of [...queries, ...towardsGhost('Ghost')]) {
      const responses = [whole(await get(one, target)), whole(await get(other, target))].map(
        withoutVersions,
      )
      expect([target, responses[0]]).toEqual([target, responses[1]])
    }
  })

  test('3.2: respond to If-None-Match alike, whatever the guessed ETag', async () => {
    const [one, other] = [
      await world({ value: secret, ghost: 'Ghost' }),
      await world({ value: wrongGuess, ghost: 'X' }),
    ]
    for (const tag of [
      '*',
      '"x"',
      `"${digest('sha256', secret, 'base64url')}"`,
      `W/"${crc32(secret).toString(16)}"`,
    ]) {
      const headers = { 'if-none-match': tag }
      const statuses = [
        await get(one, '/api/works/k1', headers),
        await get(other, '/api/works/k1', headers),
      ]
      expect(statuses[0]?.status).toBe(statuses[1]?.status)
    }
  })

  test('3.2: give byte-identical responses whatever the name of an item that middleware hides', async () => {
    const [one, other] = [
      await world({ value: secret, ghost: 'Ghost' }),
      await world({ value: secret, ghost: 'Anna' }),
    ]
    for (const guess of ['Ghost', 'Anna', 'Gh', 'A%25']) {
      for (const target of [...queries, ...towardsGhost(guess)]) {
        const responses = [whole(await get(one, target)), whole(await get(other, target))].map(
          withoutVersions,
        )
        expect([target, responses[0]]).toEqual([target, responses[1]])
      }
    }
  })

  test('3.2: a relation to a hidden item gets the same response as one to a missing item', async () => {
    const [haunted, empty] = [
      await world({ value: secret, ghost: 'Ghost' }),
      await world({ value: secret, ghost: undefined }),
    ]
    const editorOnly = towardsGhost('Ghost').filter((target) => !/writer/.test(target))
    for (const target of editorOnly) {
      const responses = await Promise.all(
        [haunted, empty].map(async (router) => withoutVersions(whole(await get(router, target)))),
      )
      // The third work has a hidden writer in one world, and a visible one in the other.
      const seen = responses.map((response) =>
        response.replaceAll('"writer":"w2"', '"writer":null'),
      )
      expect([target, seen[0]]).toEqual([target, seen[1]])
    }
  })

  test('3.2: a hidden item gets the same response as a missing one on every path to it', async () => {
    const router = await world({ value: secret, ghost: 'Ghost' })
    const json = { writer: { name: 'Changed' } }
    const link = (id: string) => ({
      work: { title: 'x', writer: id, editor: id, helpers: ['w1', id] },
    })
    const requests: ((id: string) => [string, string, unknown?, Record<string, string>?])[] = [
      (id) => ['GET', `/api/writers/${id}`],
      (id) => ['HEAD', `/api/writers/${id}`],
      (id) => ['GET', `/api/writers/${id}?include=works`],
      (id) => ['GET', `/api/writers/${id}?fields[writers]=name`],
      (id) => ['GET', `/api/writers/${id}`, undefined, { 'if-none-match': '*' }],
      (id) => ['PATCH', `/api/writers/${id}`, json],
      (id) => ['PATCH', `/api/writers/${id}`, json, { 'if-match': '*' }],
      (id) => ['PATCH', `/api/writers/${id}`, json, { 'if-none-match': '*' }],
      (id) => ['PATCH', `/api/writers/${id}`, { writer: { name: 7 } }],
      (id) => ['PATCH', `/api/writers/${id}`, { writer: { id: 'w1' } }],
      (id) => ['PUT', `/api/writers/${id}`, json],
      (id) => ['PUT', `/api/writers/${id}`, json, { 'if-match': '"x"' }],
      (id) => ['DELETE', `/api/writers/${id}`],
      (id) => ['DELETE', `/api/writers/${id}`, undefined, { 'if-match': '"x"' }],
      (id) => ['POST', '/api/works', link(id)],
      (id) => ['PATCH', '/api/works/k2', link(id)],
      (id) => ['PUT', '/api/works/k2', link(id)],
      (id) => ['GET', `/api/writers?filter[id]=${id}&withCount=true`],
      (id) => ['GET', `/api/writers?filter[id][in]=w1,${id}`],
      (id) => ['GET', `/api/works?filter[writer]=${id}&withCount=true`],
      (id) => ['GET', `/api/works?filter[helpers][any]=${id}&withCount=true`],
    ]
    for (const request of requests) {
      const responses = await Promise.all(
        ['w9', 'w8'].map(async (id) => {
          const [method, target, json, headers = {}] = request(id)
          return fingerprint(await send(router, method, target, { json, headers }), [id])
        }),
      )
      expect([request('w9'), responses[0]]).toEqual([request('w9'), responses[1]])
    }
    expect(
      (await get(router, '/api/writers?withCount=true')).json<{ meta: unknown }>().meta,
    ).toEqual({
      page: { total: 2 },
    })
  })

  test('3.2: a 409 reveals nothing of the other item but that it exists', async () => {
    class Keyed extends model('keyed', {
      name: z.string(),
      open: z.boolean().default(true),
      code: field(z.string().optional(), { unique: true }),
      qzhidden: field(z.string().optional(), { hidden: true, unique: true }),
    }) {}
    const router = createRouter({
      policy: rest(),
      store: await storeForTest(kind),
      onError: failOnFault,
    })
    router.prepare(Keyed).use(onlyOpen)
    await router.load(Keyed, [
      { id: 'holder', name: 'Holder', open: false, code: 'c1', qzhidden: secret },
    ])
    for (const keyed of [
      { name: 'x', code: 'c1' },
      { id: 'holder', name: 'x' },
    ]) {
      const { id: _, ...others } = { id: undefined, ...keyed }
      const response = await send(router, 'POST', '/keyeds', { json: { keyed } })
      expect(response.status).toBe(409)
      expect(response.text).not.toContain('Holder')
      expect(response.text).not.toContain(secret)
      if ('code' in others) expect(response.text).not.toContain('"holder"')
    }
    for (const name of ['qzhidden', 'qzabsent']) {
      const response = await send(router, 'POST', '/keyeds', {
        json: { keyed: { name: 'x', [name]: secret } },
      })
      expect([name, response.status]).toEqual([name, 422])
    }
  })

  test('3.6: the ETag of an item cannot be computed from a guess at a member that a mapper hides', async () => {
    const router = await world({ value: secret, ghost: undefined })
    const response = await get(router, '/api/works/k1')
    const { hash, ...seen } = response.json().work!
    const guesses = [secret, wrongGuess].map((guess) => {
      const { id, title, writer, editor, helpers } = seen as Record<string, unknown>
      return JSON.stringify({ id, title, qzmapped: guess, writer, editor, helpers })
    })
    const computed = guesses.flatMap((text) =>
      [text, `1:${text}`, `1:${text.slice(0, -1)}`].map((entry) =>
        digest('sha256', entry, 'base64url'),
      ),
    )
    expect(computed).not.toContain(hash)
    const note = await get(router, '/api/notes/n1')
    const text = JSON.stringify({ id: 'n1', text: 'Note one', qzmapped: secret, work: 'k1' })
    expect(note.headers.get('etag')).not.toBe(`W/"${crc32(text).toString(16).padStart(8, '0')}"`)
  })

  test('3.6: the ETag of an item cannot be computed from a guess at a hidden related item', async () => {
    const router = await world({ value: secret, ghost: 'Ghost' })
    const { hash, ...seen } = (await get(router, '/api/works/k1')).json().work!
    const { id, title, writer } = seen as Record<string, unknown>
    const text = JSON.stringify({
      id,
      title,
      qzmapped: secret,
      writer,
      editor: 'w9',
      helpers: ['w2', 'w9'],
    })
    expect(digest('sha256', `1:${text.slice(0, -1)}`, 'base64url')).not.toBe(hash)
  })
})

describe.each(storeKinds)(
  'cursors of a list that middleware sorts by a hidden member, on the %s store',
  (kind) => {
    async function ranked(): Promise<Router> {
      class Ranked extends model(
        'ranked',
        { name: z.string(), qzhidden: field(z.string(), { hidden: true }) },
        { plural: 'rankeds' },
      ) {}
      const router = createRouter({
        policy: rest(),
        store: await storeForTest(kind),
        onError: failOnFault,
      })
      router.prepare(Ranked).use({ query: { getList: (query) => query.sort('qzhidden') } })
      await router.load(Ranked, [
        { id: 'x1', name: 'One', qzhidden: secret },
        { id: 'x2', name: 'Two', qzhidden: 'm' },
        { id: 'x3', name: 'Three', qzhidden: 'q' },
      ])
      return router
    }

    /** A readable cursor, which anybody can make. */
    const forged = (key: string, position: readonly unknown[]) => {
      const text = JSON.stringify(position)
      const checksum = crc32(`${key}\n${text}`).toString(16).padStart(8, '0')
      return `p${Buffer.from(checksum + text).toString('base64url')}`
    }

    test('3.2: do not contain its value', async () => {
      const router = await ranked()
      const link = (await get(router, '/rankeds?page[size]=1')).headers.get('link') ?? ''
      const cursors = [...link.matchAll(/page%5Bafter%5D=([\w-]+)/g)].map((match) => match[1]!)
      expect(cursors).toHaveLength(1)
      for (const cursor of cursors) {
        for (const bytes of [cursor, cursor.slice(1)]) {
          const text = Buffer.from(bytes, 'base64url').toString('latin1')
          expect(cursor + text).not.toContain(secret)
          expect(text).not.toContain('qzhidden')
        }
      }
    })

    test('3.2: lead to the next page, and only unchanged', async () => {
      const router = await ranked()
      const ids: string[] = []
      let target: string | undefined = '/rankeds?page[size]=1'
      while (target !== undefined) {
        const response: TestResponse = await get(router, target)
        ids.push(...response.json<Listing>().rankeds!.map((item) => item.id))
        target = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
      }
      expect(ids).toEqual(['x1', 'x2', 'x3'])
    })

    test('3.2: cannot be made by a client to test a guess', async () => {
      const router = await ranked()
      for (const guess of ['a', 'l', 'z', secret]) {
        for (const member of ['after', 'before']) {
          const cursor = forged('qzhidden asc', [guess, 'x0'])
          const response = await get(router, `/rankeds?page[size]=2&page[${member}]=${cursor}`)
          expect([guess, member, response.status]).toEqual([guess, member, 400])
        }
      }
    })
  },
)

describe.each(storeKinds)(
  'cursors of a list that middleware sorts by hidden data, on the %s store',
  (kind) => {
    test.each([
      'qzhidden',
      'qzpassed',
      'qzmapped',
      'qznested.key',
      'writer.qzhidden',
      'writer.qzmapped',
      'editor.name',
    ])('3.2: do not contain it: %s', async (key) => {
      const byUnseen: Middleware = { query: { getList: (query) => query.sort(key) } }
      const router = await worldOf(
        await storeForTest(kind),
        { value: secret, ghost: 'Gertrude' },
        byUnseen,
      )
      let target: string | undefined = '/api/works?page[size]=1'
      const ids: string[] = []
      while (target !== undefined) {
        const response: TestResponse = await get(router, target)
        ids.push(...response.json<Listing>().works!.map((item) => item.id))
        const link = response.headers.get('link') ?? ''
        for (const [, cursor = ''] of link.matchAll(/page%5B(?:after|before)%5D=([\w-]+)/g)) {
          for (const bytes of [cursor, cursor.slice(1)])
            expect(Buffer.from(bytes, 'base64url').toString('latin1')).not.toMatch(
              new RegExp(`${secret}|Gertrude`),
            )
        }
        target = /<([^>]+)>; rel="next"/.exec(link)?.[1]
      }
      expect(ids.sort()).toEqual(['k1', 'k2', 'k9'])
    })
  },
)
