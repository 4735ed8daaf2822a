import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createRouter, model } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Book = model('book', { title: z.string() })

function served(policy = rest(), docs = true) {
  const router = createRouter({
    policy,
    basePath: '/api',
    store: memory(),
    docsPage: docs,
    info: { title: 'A & B', version: '1' },
  })
  router.prepare(Book)
  return { router, api: client(router) }
}

describe.each([
  { name: 'REST', policy: rest() },
  { name: 'JSON:API', policy: jsonApi() },
])('The document of a router under $name that serves it', ({ policy }) => {
  it('equals the one of toOpenApi, as application/json', async () => {
    const { router, api } = served(policy)
    const response = await api.get('/api/openapi.json')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/json',
    ])
    expect(response.body).toEqual(JSON.parse(JSON.stringify(router.toOpenApi())))
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('has its own media type where the client asks for it', async () => {
    const { api } = served(policy)
    const type = async (accept: string) =>
      (await api.get('/api/openapi.json', { accept })).headers.get('content-type')
    expect(await type('application/vnd.oai.openapi+json;version=3.1')).toBe(
      'application/vnd.oai.openapi+json;version=3.1',
    )
    expect(await type('application/vnd.oai.openapi+json;version=3.1;q=0.5, application/json')).toBe(
      'application/json',
    )
    expect(await type('*/*')).toBe('application/json')
    expect(await type('text/html')).toBe('application/json')
    expect((await api.get('/api/openapi.json')).headers.get('vary')).toBe('Accept, Accept-Encoding')
  })

  it('has the version of OpenAPI that the client asks for, with QUERY from 3.2 on', async () => {
    const { api, router } = served(policy)
    for (const [version, full] of [
      ['3.0', '3.0.4'],
      ['3.1', '3.1.2'],
      ['3.2', '3.2.0'],
    ] as const) {
      const response = await api.get(`/api/openapi.json?version=${version}`)
      const expected = router.toOpenApi({ version: full })
      expect(response.body).toEqual(JSON.parse(JSON.stringify(expected)))
    }
    const newest = await api.get('/api/openapi.json?version=3.2', {
      accept: 'application/vnd.oai.openapi+json;version=3.2',
    })
    expect(newest.headers.get('content-type')).toBe('application/vnd.oai.openapi+json;version=3.2')
    expect(newest.text).toContain('"query":')
    for (const version of ['2.0', '3.1.2', '', '__proto__', 'toString']) {
      const refused = await api.get(`/api/openapi.json?version=${version}`)
      expect([refused.status, refused.errors]).toMatchObject([
        400,
        [{ code: 'invalid-value', source: { parameter: 'version' } }],
      ])
    }
  })

  it('has a strong ETag, and responds with 304', async () => {
    const { api } = served(policy)
    const { etag } = await api.get('/api/openapi.json')
    expect(etag).toMatch(/^"[^"]+"$/)
    const again = await api.get('/api/openapi.json', { 'if-none-match': etag })
    expect([again.status, again.text, again.etag]).toEqual([304, '', etag])
    expect((await api.get('/api/openapi.json', { 'if-none-match': '"other"' })).status).toBe(200)
    expect((await served(policy).api.get('/api/openapi.json')).etag).toBe(etag)
  })

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])(
    'is sent compressed where the client accepts it, with an ETag of its own: %s',
    async (coding, decode) => {
      const { router, api } = served(policy)
      const plain = await api.get('/api/openapi.json')
      const headers = { 'accept-encoding': coding }
      const response = await router.handle(
        new Request('http://localhost/api/openapi.json', { headers }),
      )
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(response.headers.get('content-encoding')).toBe(coding)
      expect(JSON.parse(decode(bytes).toString())).toEqual(plain.body)
      expect(bytes.length).toBeLessThan(plain.text.length / 4)
      const etag = response.headers.get('etag')!
      expect(etag).not.toBe(plain.etag)
      const again = await api.get('/api/openapi.json', { ...headers, 'if-none-match': etag })
      expect([again.status, again.etag, again.headers.get('content-encoding')]).toEqual([
        304,
        etag,
        null,
      ])
      expect((await api.get('/api/openapi.json', { 'if-none-match': etag })).status).toBe(200)
    },
  )

  it.each(['/api/openapi.json', '/api/docs', '/api/docs/start.js', '/api/docs/reference.js'])(
    'and its page respond only to GET and HEAD: %s',
    async (path) => {
      const { api } = served(policy)
      const [get, head] = [await api.get(path), await api.head(path)]
      expect([head.status, head.text, head.etag]).toEqual([200, '', get.etag])
      expect((await api.options(path)).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      const refused = await api.post(path, {})
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    },
  )

  it('is not a rule, so that rules and document stay one to one', async () => {
    const { router } = served(policy)
    expect(router.rules.filter(({ path }) => /docs|openapi/.test(path))).toEqual([])
    expect(
      Object.keys(router.toOpenApi().paths).filter((path) => /docs|openapi/.test(path)),
    ).toEqual([])
  })

  it('is off by default', async () => {
    const { api } = served(policy, false)
    expect((await api.get('/api/openapi.json')).status).toBe(404)
    expect((await api.get('/api/docs')).status).toBe(404)
  })
})

describe('Documents of JSON:API', () => {
  const addresses = [
    '/api/books',
    '/api/books/dune',
    '/api/books?page[size]=1',
    '/api/books?fields[books]=title',
  ]

  it('DS8: link to the served document by describedby, at every address', async () => {
    const { router, api } = served(jsonApi())
    await router.load(Book, [{ id: 'dune', title: 'Dune' }])
    for (const address of addresses) {
      const { links } = (await api.get(address)).body as {
        readonly links: { readonly describedby: string }
      }
      expect(links.describedby, address).toBe('/api/openapi.json')
    }
    expect((await api.get('/api/openapi.json')).status).toBe(200)
  })

  it('have its absolute address where the service has a base address', async () => {
    const router = createRouter({
      policy: jsonApi(),
      basePath: '/api',
      baseUrl: 'https://books.example',
      store: memory(),
      docsPage: true,
    })
    router.prepare(Book)
    const { links } = (await client(router).get('/api/books')).body as { readonly links: object }
    expect(links).toHaveProperty('describedby', 'https://books.example/api/openapi.json')
  })

  it('have no describedby where it is not served', async () => {
    const { router, api } = served(jsonApi(), false)
    await router.load(Book, [{ id: 'dune', title: 'Dune' }])
    for (const address of addresses)
      expect((await api.get(address)).text).not.toContain('describedby')
  })
})

describe('The documentation page', () => {
  it('loads scripts of the service alone, and may connect to no other host', async () => {
    const { text, headers } = await served().api.get('/api/docs')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    const directives = headers.get('content-security-policy')!.split('; ')
    expect(directives).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    )
    expect(text).not.toMatch(/https?:/)
    expect(text).toContain('<title>A &amp; B</title>')
    const scripts = [...text.matchAll(/<script src="([^"]+)"><\/script>/g)].map(
      ([, source]) => source,
    )
    expect(scripts).toEqual([
      expect.stringMatching(/^docs\/reference\.js\?v=[\w-]{43}$/),
      'docs/start.js',
    ])
    expect(text.match(/<script/g)).toHaveLength(2)
  })

  it('has an immutable script at the address with its digest, and only there', async () => {
    const { api } = served()
    const [, script] = (await api.get('/api/docs')).text.match(/<script src="([^"]+)"/)!
    const named = await api.get(`/api/${script}`)
    expect(named.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(named.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(named.text).toContain('MIT License')
    expect((await api.get('/api/docs/reference.js')).headers.get('cache-control')).toBe('no-cache')
    expect((await api.get('/api/docs/reference.js?v=x')).headers.get('cache-control')).toBe(
      'no-cache',
    )
  })

  it('has a content security policy', async () => {
    const { text } = await served().api.get('/api/docs/start.js')
    const [, options = ''] = /^const options = (.*)$/m.exec(text) ?? []
    expect(JSON.parse(options)).toMatchObject({
      url: 'openapi.json',
      withDefaultFonts: false,
      telemetry: false,
    })
  })

  it('has its own address: a collection of that name is refused', async () => {
    const conflicting = createRouter({ policy: rest(), store: memory(), docsPage: true })
    conflicting.prepare(model('doc', { title: z.string() }))
    await expect(conflicting.open()).rejects.toThrow(
      /GET \/docs conflicts with the documentation page/,
    )
    const quiet = createRouter({ policy: rest(), store: memory() })
    quiet.prepare(model('doc', { title: z.string() }))
    await expect(quiet.open()).resolves.toBeUndefined()
  })
})
