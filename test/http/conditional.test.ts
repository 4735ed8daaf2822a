import { createRouter, respond } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, test } from 'vitest'
import {
  Author,
  Book,
  codesOf,
  contents,
  type Document,
  Genre,
  get,
  type HeaderLines,
  type Problems,
  Publisher,
  type Sending,
  send,
  shop,
  shopModels,
  stock,
  storeForTest,
  storeKinds,
  tagOf,
} from './service.ts'

/** TRIALS=100000 for the long form: how often writers race with one ETag. */
const trials = Number(process.env.TRIALS ?? 40)

const json = (json: unknown, headers: Record<string, string> = {}): Sending => ({ json, headers })
const label = (name: string) => ({ label: { name } })
const replacement = {
  book: { title: 'Frankenstein, revised', price: 10, author: 'a1', genres: [] },
}

describe.each(storeKinds)('conditional requests on the %s store', (kind) => {
  test('C1: a GET has a quoted ETag, which a second GET and a HEAD repeat', async () => {
    const router = await shop(kind)
    const first = await get(router, '/api/books/b1')
    expect(first.status).toBe(200)
    expect(first.headers.get('etag')).toMatch(/^"[\x21\x23-\x7e]+"$/)
    expect((await get(router, '/api/books/b1')).headers.get('etag')).toBe(first.headers.get('etag'))
    expect((await send(router, 'HEAD', '/api/books/b1')).headers.get('etag')).toBe(
      first.headers.get('etag'),
    )
  })

  test('C1: the ETag of a model with a hash is that hash, and strong', async () => {
    const router = await shop(kind)
    const response = await get(router, '/api/books/b1')
    expect(response.headers.get('etag')).toBe(`"${response.json().book?.hash}"`)
  })

  test('C1: the ETag of a model without a hash is weak', async () => {
    expect(await tagOf(await shop(kind), '/api/publishers/p1')).toMatch(/^W\/"[0-9a-f]{8}"$/)
  })

  test.each(['/api/books/b1', '/api/publishers/p1'])(
    'C2: If-None-Match on %s is 304 for the ETag, its other strength, a list that holds it, and *',
    async (target) => {
      const router = await shop(kind)
      const tag = await tagOf(router, target)
      const opaque = tag.replace(/^W\//, '')
      for (const header of [
        tag,
        opaque,
        `W/${opaque}`,
        `"x", ${tag}`,
        `"x",${opaque} , "y"`,
        '*',
      ]) {
        for (const method of ['GET', 'HEAD']) {
          const response = await send(router, method, target, {
            headers: { 'if-none-match': header },
          })
          expect([response.status, response.text]).toEqual([304, ''])
        }
      }
    },
  )

  test('C3: several If-None-Match lines are one list', async () => {
    const router = await shop(kind)
    const tag = await tagOf(router, '/api/books/b1')
    const headers: HeaderLines = [
      ['if-none-match', '"x"'],
      ['if-none-match', tag],
    ]
    expect((await get(router, '/api/books/b1', headers)).status).toBe(304)
  })

  test('C4: an If-None-Match that is unquoted, half quoted or empty matches nothing', async () => {
    const router = await shop(kind)
    const opaque = (await tagOf(router, '/api/books/b1')).slice(1, -1)
    for (const header of [
      opaque,
      `"${opaque}`,
      `${opaque}"`,
      '',
      ',',
      '""',
      '"',
      'W/',
      `w/"${opaque}"`,
      '*, "x',
      '**',
    ])
      expect((await get(router, '/api/books/b1', { 'if-none-match': header })).status).toBe(200)
  })

  test('C5: a comma inside an ETag does not end it', async () => {
    const router = await shop(kind)
    const opaque = (await tagOf(router, '/api/books/b1')).slice(1, -1)
    expect((await get(router, '/api/books/b1', { 'if-none-match': `"x,${opaque}"` })).status).toBe(
      200,
    )
    expect((await get(router, '/api/books/b1', { 'if-none-match': `"${opaque},x"` })).status).toBe(
      200,
    )
    expect(
      (await get(router, '/api/books/b1', { 'if-none-match': `"a,b", "${opaque}"` })).status,
    ).toBe(304)
  })

  test('C6: a 304 has the headers of a 200, and neither a body nor a length of its own', async () => {
    const router = await shop(kind)
    for (const target of [
      '/api/books/b1',
      '/api/books/b1?fields[books]=title',
      '/api/books/b1?include=author',
    ]) {
      const whole = await get(router, target)
      const tag = whole.headers.get('etag')!
      const response = await get(router, target, { 'if-none-match': tag })
      expect(response.status).toBe(304)
      expect(response.text).toBe('')
      expect(response.headers.get('etag')).toBe(tag)
      for (const name of ['cache-control', 'content-location', 'expires', 'vary'])
        expect(response.headers.get(name)).toBe(whole.headers.get(name))
      expect([null, whole.headers.get('content-length')]).toContain(
        response.headers.get('content-length'),
      )
    }
  })

  test('C6: a 304 has the headers that middleware set', async () => {
    const router = createRouter({
      policy: rest(),
      basePath: '/api',
      store: await storeForTest(kind),
    })
    router.use({ request: { any: (context) => context.setHeader('Cache-Control', 'private') } })
    for (const shopModel of shopModels) router.prepare(shopModel)
    await stock(router)
    const tag = await tagOf(router, '/api/books/b1')
    expect(
      (await get(router, '/api/books/b1', { 'if-none-match': tag })).headers.get('cache-control'),
    ).toBe('private')
  })

  test('C7: If-Modified-Since is ignored, beside If-None-Match or alone', async () => {
    const router = await shop(kind)
    const future = 'Fri, 01 Jan 2100 00:00:00 GMT'
    const both = { 'if-none-match': '"old"', 'if-modified-since': future }
    expect((await get(router, '/api/books/b1', both)).status).toBe(200)
    expect((await get(router, '/api/books/b1', { 'if-modified-since': future })).status).toBe(200)
  })

  test('C8: writes with the current ETag succeed, and PATCH sends the new one', async () => {
    const router = await shop(kind)
    const first = await tagOf(router, '/api/books/b1')
    const patched = await send(
      router,
      'PATCH',
      '/api/books/b1',
      json({ book: { price: 7 } }, { 'if-match': first }),
    )
    expect(patched.status).toBe(200)
    const second = patched.headers.get('etag')!
    expect(second).not.toBe(first)
    expect(await tagOf(router, '/api/books/b1')).toBe(second)
    const replaced = await send(
      router,
      'PUT',
      '/api/books/b1',
      json(replacement, { 'if-match': `"x", ${second}` }),
    )
    expect(replaced.status).toBe(200)
    const third = replaced.headers.get('etag')!
    expect([first, second]).not.toContain(third)
    expect(
      (await send(router, 'DELETE', '/api/books/b1', { headers: { 'if-match': third } })).status,
    ).toBe(204)
  })

  test('C9: a stale, weak or malformed If-Match is 412, and nothing is changed', async () => {
    const router = await shop(kind)
    const stale = await tagOf(router, '/api/books/b1')
    await send(router, 'PATCH', '/api/books/b1', json({ book: { price: 7 } }))
    const current = await tagOf(router, '/api/books/b1')
    const before = await contents(router)
    const opaque = current.slice(1, -1)
    for (const header of [
      stale,
      `W/${current}`,
      '"old"',
      opaque,
      `"${opaque}`,
      '',
      ',',
      `"${opaque}`.toUpperCase(),
    ]) {
      const headers = { 'if-match': header }
      for (const response of [
        await send(router, 'PATCH', '/api/books/b1', json({ book: { price: 1 } }, headers)),
        await send(router, 'PUT', '/api/books/b1', json(replacement, headers)),
        await send(router, 'DELETE', '/api/books/b1', { headers }),
      ]) {
        expect(response.status).toBe(412)
        expect(codesOf(response)).toEqual(['precondition-failed'])
        expect(response.json<Problems>().errors[0]?.source).toEqual({ header: 'If-Match' })
      }
    }
    expect(await contents(router)).toBe(before)
  })

  test('C10: If-Match: * writes to an existing item, and is 412 where PUT would create', async () => {
    const router = await shop(kind)
    const headers = { 'if-match': '*' }
    expect(
      (await send(router, 'PATCH', '/api/books/b1', json({ book: { price: 1 } }, headers))).status,
    ).toBe(200)
    expect((await send(router, 'PUT', '/api/labels/l1', json(label('x'), headers))).status).toBe(
      200,
    )
    const missing = await send(router, 'PUT', '/api/labels/l2', json(label('x'), headers))
    expect(codesOf(missing)).toEqual(['precondition-failed'])
    expect(missing.status).toBe(412)
    expect((await get(router, '/api/labels/l2')).status).toBe(404)
    expect((await send(router, 'DELETE', '/api/labels/l1', { headers })).status).toBe(204)
  })

  test('C10: any If-Match is 412 where PUT would create', async () => {
    const router = await shop(kind)
    const tag = await tagOf(router, '/api/labels/l1')
    expect(
      (await send(router, 'PUT', '/api/labels/l2', json(label('x'), { 'if-match': tag }))).status,
    ).toBe(412)
    expect((await get(router, '/api/labels/l2')).status).toBe(404)
  })

  test('C11: a request that fails anyway fails as it would without If-Match', async () => {
    const router = createRouter({
      policy: rest(),
      basePath: '/api',
      store: await storeForTest(kind),
    })
    const statuses: Record<string, number> = { nobody: 401, reader: 403 }
    router.use({
      request: {
        any: ({ request }) => {
          const status = statuses[request.headers.authorization ?? '']
          return status === undefined ? undefined : respond(status)
        },
      },
    })
    for (const shopModel of shopModels) router.prepare(shopModel)
    await stock(router)
    const before = await contents(router)
    const change = { book: { price: 1 } }
    const failing: [number, string, string, Sending][] = [
      [404, 'PATCH', '/api/books/none', json(change)],
      [404, 'PUT', '/api/books/none', json(replacement)],
      [404, 'DELETE', '/api/books/none', {}],
      [404, 'PATCH', '/api/nowhere/b1', json(change)],
      [400, 'PATCH', '/api/books/b1', { body: '{' }],
      [400, 'PATCH', '/api/books/b1?colour=red', json(change)],
      [400, 'DELETE', '/api/books/b1?colour=red', {}],
      [401, 'PATCH', '/api/books/b1', json(change, { authorization: 'nobody' })],
      [403, 'PATCH', '/api/books/b1', json(change, { authorization: 'reader' })],
      [405, 'POST', '/api/books/b1', json(change)],
      [415, 'PATCH', '/api/books/b1', json(change, { 'content-type': 'text/plain' })],
    ]
    for (const header of ['"old"', '*', '', 'W/"old"']) {
      for (const [status, method, target, sending] of failing) {
        const headers = { ...(sending.headers as Record<string, string>), 'if-match': header }
        expect([
          method,
          target,
          (await send(router, method, target, { ...sending, headers })).status,
        ]).toEqual([method, target, status])
      }
    }
    expect(await contents(router)).toBe(before)
  })

  test('C12: PUT with If-None-Match: * creates, and never replaces', async () => {
    const router = await shop(kind)
    const headers = { 'if-none-match': '*' }
    const refused = await send(router, 'PUT', '/api/labels/l1', json(label('lost'), headers))
    expect(refused.status).toBe(412)
    expect(codesOf(refused)).toEqual(['precondition-failed'])
    expect((await get(router, '/api/labels/l1')).json().label?.name).toBe('new')
    const created = await send(router, 'PUT', '/api/labels/l2', json(label('made'), headers))
    expect(created.status).toBe(201)
    expect(created.headers.get('location')).toBe('/api/labels/l2')
  })

  test('C12: of many PUTs with If-None-Match: * at once, one creates', async () => {
    const router = await shop(kind)
    const headers = { 'if-none-match': '*' }
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        send(router, 'PUT', '/api/labels/l3', json(label(`n${index}`), headers)),
      ),
    )
    const successes = responses.filter((response) => response.status === 201)
    expect(successes).toHaveLength(1)
    expect(responses.filter((response) => response.status === 412)).toHaveLength(29)
    expect((await get(router, '/api/labels/l3')).text).toBe(successes[0]?.text)
  })

  test('C12: If-None-Match with an ETag writes while the item has another ETag, and not while it has this one', async () => {
    const router = await shop(kind)
    const tag = await tagOf(router, '/api/labels/l1')
    for (const header of [tag, `W/${tag}`, `"x", ${tag}`])
      expect(
        (await send(router, 'PUT', '/api/labels/l1', json(label('x'), { 'if-none-match': header })))
          .status,
      ).toBe(412)
    expect(
      (
        await send(
          router,
          'PUT',
          '/api/labels/l1',
          json(label('x'), { 'if-none-match': '"other"' }),
        )
      ).status,
    ).toBe(200)
  })

  test('C13: If-None-Match: * does not apply to a collection: POST creates', async () => {
    const router = await shop(kind)
    const created = await send(
      router,
      'POST',
      '/api/authors',
      json({ author: { id: 'a3', name: 'Ann Radcliffe' } }, { 'if-none-match': '*' }),
    )
    expect(created.status).toBe(201)
  })

  test('C14: If-Match is checked first, then If-None-Match, and either can fail', async () => {
    const router = await shop(kind)
    const tag = await tagOf(router, '/api/books/b1')
    const change = { book: { price: 1 } }
    const tried = async (headers: Record<string, string>) =>
      (await send(router, 'PATCH', '/api/books/b1', json(change, headers))).status
    expect(await tried({ 'if-match': tag, 'if-none-match': tag })).toBe(412)
    expect(await tried({ 'if-match': tag, 'if-none-match': '*' })).toBe(412)
    expect(await tried({ 'if-match': '"old"', 'if-none-match': '"old"' })).toBe(412)
    expect(await tagOf(router, '/api/books/b1')).toBe(tag)
    expect(await tried({ 'if-match': tag, 'if-none-match': '"old"' })).toBe(200)
  })

  test('C15: If-Unmodified-Since is ignored, beside If-Match or alone', async () => {
    const router = await shop(kind)
    const past = 'Thu, 01 Jan 1970 00:00:00 GMT'
    const tag = await tagOf(router, '/api/books/b1')
    const headers = { 'if-match': tag, 'if-unmodified-since': past }
    expect(
      (await send(router, 'PATCH', '/api/books/b1', json({ book: { price: 1 } }, headers))).status,
    ).toBe(200)
    const alone = { 'if-unmodified-since': past }
    expect(
      (await send(router, 'PATCH', '/api/books/b1', json({ book: { price: 2 } }, alone))).status,
    ).toBe(200)
  })

  test('C16: where If-Match is required, writes without it are 428, and the error names the header', async () => {
    const router = await shop(kind)
    const before = await contents(router)
    for (const headers of [{}, { 'if-none-match': '"old"' }] as Record<string, string>[]) {
      for (const response of [
        await send(router, 'PATCH', '/api/ledgers/d1', json({ ledger: { total: 2 } }, headers)),
        await send(router, 'PUT', '/api/ledgers/d1', json({ ledger: { total: 2 } }, headers)),
        await send(router, 'DELETE', '/api/ledgers/d1', { headers }),
      ]) {
        expect(response.status).toBe(428)
        expect(codesOf(response)).toEqual(['precondition-required'])
        expect(response.json<Problems>().errors[0]?.source).toEqual({ header: 'If-Match' })
      }
    }
    expect(await contents(router)).toBe(before)
    const headers = { 'if-match': await tagOf(router, '/api/ledgers/d1') }
    expect(
      (await send(router, 'PATCH', '/api/ledgers/d1', json({ ledger: { total: 2 } }, headers)))
        .status,
    ).toBe(200)
    expect(
      (await send(router, 'DELETE', '/api/ledgers/d1', { headers: { 'if-match': '*' } })).status,
    ).toBe(204)
  })

  test('C16: a router may require If-Match of every model', async () => {
    const router = await shop(kind, { requireMatch: true })
    expect(
      (await send(router, 'PATCH', '/api/books/b1', json({ book: { price: 1 } }))).status,
    ).toBe(428)
    expect((await send(router, 'DELETE', '/api/publishers/p2')).status).toBe(428)
    expect(
      (await send(router, 'POST', '/api/authors', json({ author: { name: 'New' } }))).status,
    ).toBe(201)
    expect((await send(router, 'PUT', '/api/labels/l9', json(label('made')))).status).toBe(201)
    const headers = { 'if-match': await tagOf(router, '/api/books/b1') }
    expect(
      (await send(router, 'PATCH', '/api/books/b1', json({ book: { price: 1 } }, headers))).status,
    ).toBe(200)
  })

  test(
    'C17: of parallel writes with one ETag, exactly one succeeds',
    async () => {
      const router = await shop(kind)
      for (let round = 0; round < trials; round++) {
        const headers = { 'if-match': await tagOf(router, '/api/books/b1') }
        const prices = Array.from(
          { length: 2 + (round % 7) },
          (_, index) => 100 * (round + 1) + index,
        )
        const responses = await Promise.all(
          prices.map((price) =>
            send(router, 'PATCH', '/api/books/b1', json({ book: { price } }, headers)),
          ),
        )
        const won = responses.flatMap((response, index) =>
          response.status === 200 ? [prices[index]] : [],
        )
        expect(won).toHaveLength(1)
        expect(responses.filter((response) => response.status === 412)).toHaveLength(
          prices.length - 1,
        )
        expect((await get(router, '/api/books/b1')).json().book?.price).toBe(won[0])
      }
    },
    30_000 + trials * 20,
  )

  test('C17: of a PATCH, a PUT and a DELETE with one ETag, exactly one succeeds', async () => {
    const router = await shop(kind)
    for (let round = 0; round < 20; round++) {
      const id = `x${round}`
      await router.load(Book, [{ id, title: 'Tried', price: 1, author: 'a1' }])
      const headers = { 'if-match': await tagOf(router, `/api/books/${id}`) }
      const writes = [
        () => send(router, 'PATCH', `/api/books/${id}`, json({ book: { price: 2 } }, headers)),
        () => send(router, 'PUT', `/api/books/${id}`, json(replacement, headers)),
        () => send(router, 'DELETE', `/api/books/${id}`, { headers }),
      ]
      const turned = [...writes.slice(round % 3), ...writes.slice(0, round % 3)]
      const statuses = (await Promise.all(turned.map((write) => write()))).map(
        (response) => response.status,
      )
      expect(statuses.filter((status) => status < 300)).toHaveLength(1)
      expect(statuses.filter((status) => status === 412 || status === 404)).toHaveLength(2)
    }
  })

  test('C18: a change by a write to another item changes the ETag, and the old one no longer writes', async () => {
    const router = await shop(kind)
    const whole = await tagOf(router, '/api/books/b1')
    expect((await send(router, 'DELETE', '/api/publishers/p1')).status).toBe(204)
    const without = await tagOf(router, '/api/books/b1')
    expect(without).not.toBe(whole)
    expect(
      (
        await send(
          router,
          'PATCH',
          '/api/books/b1',
          json({ book: { price: 1 } }, { 'if-match': whole }),
        )
      ).status,
    ).toBe(412)
    expect((await send(router, 'DELETE', '/api/genres/gothic')).status).toBe(204)
    const last = await get(router, '/api/books/b1')
    expect(last.headers.get('etag')).not.toBe(without)
    expect(last.json().book).toMatchObject({ publisher: null, genres: ['fiction'] })
  })

  test('C18: a change of an inverse relation does not change the ETag', async () => {
    const router = await shop(kind)
    const tag = await tagOf(router, '/api/authors/a1')
    await router.load(Book, [{ id: 'b9', title: 'Lodore', price: 5, author: 'a1' }])
    expect(await tagOf(router, '/api/authors/a1')).toBe(tag)
  })

  test('C19: a DELETE with If-Match is 204, and 404 when it is repeated', async () => {
    const router = await shop(kind)
    const headers = { 'if-match': await tagOf(router, '/api/books/b2') }
    expect((await send(router, 'DELETE', '/api/books/b2', { headers })).status).toBe(204)
    expect((await send(router, 'DELETE', '/api/books/b2', { headers })).status).toBe(404)
  })

  test('C20: a list has no ETag, because it is not known before the end of the list', async () => {
    const router = await shop(kind)
    for (const target of [
      '/api/books',
      '/api/books?page[size]=2',
      '/api/books?fields[books]=title',
    ])
      expect((await get(router, target)).headers.get('etag')).toBeNull()
    expect((await get(router, '/api/books', { 'if-none-match': '*' })).status).not.toBe(412)
  })

  test.each(['books/b1', 'publishers/p1'])(
    'C21: each representation of %s has an ETag of its own',
    async (address) => {
      const router = await shop(kind)
      const [plural] = address.split('/')
      const name = plural === 'books' ? 'title' : 'name'
      const targets = [
        `/api/${address}`,
        `/api/${address}?fields[${plural}]=${name}`,
        `/api/${address}?fields[${plural}]=`,
      ]
      if (plural === 'books')
        targets.push(`/api/${address}?include=author`, `/api/${address}?include=author,genres`)
      const tags = await Promise.all(targets.map((target) => tagOf(router, target)))
      expect(new Set(tags).size).toBe(targets.length)
      for (const [index, target] of targets.entries()) {
        for (const [other, tag] of tags.entries())
          expect((await get(router, target, { 'if-none-match': tag })).status).toBe(
            index === other ? 304 : 200,
          )
      }
    },
  )

  test('C21: the ETag of a representation changes with an included item', async () => {
    const router = await shop(kind)
    const before = await tagOf(router, '/api/books/b1?include=author')
    await send(router, 'PATCH', '/api/authors/a1', json({ author: { name: 'M. Shelley' } }))
    const response = await get(router, '/api/books/b1?include=author', { 'if-none-match': before })
    expect(response.status).toBe(200)
    expect(response.headers.get('etag')).not.toBe(before)
  })

  test('C21: If-Match accepts the ETag of any representation of the current version, and of no older one', async () => {
    const router = await shop(kind)
    for (const [index, query] of [
      '?fields[books]=title',
      '?include=author',
      '?include=genres&fields[genres]=name',
      '',
    ].entries()) {
      const headers = { 'if-match': await tagOf(router, `/api/books/b1${query}`) }
      const writeResponse = await send(
        router,
        'PATCH',
        '/api/books/b1',
        json({ book: { price: 20 + index } }, headers),
      )
      expect(writeResponse.status).toBe(200)
      const again = await send(
        router,
        'PATCH',
        '/api/books/b1',
        json({ book: { price: 40 + index } }, headers),
      )
      expect(again.status).toBe(412)
    }
  })

  test('C21: the response to a write has the ETag of its representation', async () => {
    const router = await shop(kind)
    const query = '?include=author&fields[books]=title,author'
    const writeResponse = await send(
      router,
      'PATCH',
      `/api/books/b1${query}`,
      json({ book: { price: 3 } }),
    )
    const read = await get(router, `/api/books/b1${query}`)
    expect(writeResponse.text).toBe(read.text)
    expect(writeResponse.headers.get('etag')).toBe(read.headers.get('etag'))
  })

  test('C22: the ETag in the response to PUT, PATCH and POST is that of its body, which a GET repeats', async () => {
    const router = await shop(kind)
    const created = await send(
      router,
      'POST',
      '/api/books',
      json({ book: { ...replacement.book, id: 'b7' } }),
    )
    const writes: [string, typeof created][] = [
      ['/api/books/b7', created],
      ['/api/books/b1', await send(router, 'PUT', '/api/books/b1', json(replacement))],
      ['/api/books/b2', await send(router, 'PATCH', '/api/books/b2', json({ book: { price: 3 } }))],
      [
        '/api/publishers/p1',
        await send(router, 'PUT', '/api/publishers/p1', json({ publisher: { name: 'Other' } })),
      ],
    ]
    for (const [target, writeOf] of writes) {
      const read = await get(router, target)
      expect(read.text).toBe(writeOf.text)
      expect(read.headers.get('etag')).toBe(writeOf.headers.get('etag'))
    }
  })

  test('C22: every change gives a new ETag, also a change back', async () => {
    const router = await shop(kind)
    const tags = new Set([await tagOf(router, '/api/books/b1')])
    for (let round = 0; round < 10; round++) {
      const writeResponse = await send(
        router,
        'PATCH',
        '/api/books/b1',
        json({ book: { price: round % 2 === 0 ? 1 : 9.5 } }),
      )
      tags.add(writeResponse.headers.get('etag')!)
    }
    expect(tags.size).toBe(11)
  })

  test('an ETag belongs to one item: that of another item does not write', async () => {
    const router = await shop(kind)
    await router.load(Author, [
      { id: 't1', name: 'Twin' },
      { id: 't2', name: 'Twin' },
    ])
    const headers = { 'if-match': await tagOf(router, '/api/authors/t1') }
    expect(
      (await send(router, 'PATCH', '/api/authors/t2', json({ author: { name: 'Lost' } }, headers)))
        .status,
    ).toBe(412)
  })

  test('a write to an item of a model without a hash accepts If-Match: *, and no ETag', async () => {
    const router = await shop(kind)
    await router.load(Publisher, [{ id: 'p9', name: 'Weak' }])
    await router.load(Genre, [{ id: 'g9', name: 'Weak' }])
    const tag = await tagOf(router, '/api/publishers/p9')
    const change = { publisher: { name: 'Changed' } }
    for (const header of [tag, tag.slice(2)])
      expect(
        (await send(router, 'PATCH', '/api/publishers/p9', json(change, { 'if-match': header })))
          .status,
      ).toBe(412)
    const done = await send(
      router,
      'PATCH',
      '/api/publishers/p9',
      json(change, { 'if-match': '*' }),
    )
    expect(done.json<Document>().publisher?.name).toBe('Changed')
  })
})
