import {
  createRouter,
  model,
  type Policy,
  type Router,
  type RouterOptions,
  refuse,
} from 'resourcery'
import { fetchHandler } from 'resourcery/fetch'
import { jsonApi } from 'resourcery/json-api'
import { limit } from 'resourcery/limits'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { failOnFault, get, send } from '../http/service.ts'

const Book = model(
  'book',
  { title: z.string(), isPublished: z.boolean() },
  { description: 'Novels <b>& "plays"</b>' },
)
const BookReview = model('bookReview', { text: z.string() })
const Payment = model('payment', { amount: z.number() })

const html = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

async function shop(
  options: Partial<RouterOptions> = {},
  policy: Policy = rest(),
): Promise<Router> {
  const router = createRouter({
    policy,
    basePath: '/api',
    store: memory(),
    startPage: true,
    onError: failOnFault,
    ...options,
  })
  router.prepare(Book).use({
    query: {
      any: (query, { request }) =>
        request.headers.authorization ? query : query.where('isPublished').equal(true),
    },
  })
  router.prepare(BookReview)
  router.prepare(Payment).use({
    request: {
      any: ({ request }) => {
        if (!request.headers.authorization) refuse('unauthorized', 'Sign in.')
      },
    },
  })
  await router.load(
    Book,
    Array.from({ length: 7 }, (_, index) => ({ title: `B${index}`, isPublished: index < 3 })),
  )
  await router.load(Payment, [{ amount: 1 }])
  return router
}

test.each([
  ['plain REST', () => rest()],
  ['JSON:API', () => jsonApi()],
] as const)('Under %s it links to lists, with what anybody may see', async (_, policy) => {
  const router = await shop({}, policy())
  for (const path of ['/api', '/api/']) {
    const { status, headers, text } = await get(router, path, html)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('<a href="/api/books?page[size]=20">Books</a> <small>3</small>')
    expect(text).toContain('>Book reviews</a> <small>0</small>')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    )
    expect([headers.get('vary'), headers.get('cache-control')]).toEqual(['Accept', 'no-store'])
  }
})

test('it shows nothing of lists that need credentials, also to those who have them', async () => {
  const router = await shop()
  for (const headers of [html, { ...html, authorization: 'Bearer x', cookie: 'a=b' }]) {
    const { text } = await get(router, '/api', headers)
    expect(text.toLowerCase()).not.toContain('payment')
    expect(text).toContain('Other lists need credentials.')
    expect(text).toContain('<small>3</small>')
  }
})

test('it says that lists cannot be read now, where a limit is exceeded or the service fails', async () => {
  const router = (onError: (error: unknown) => void) => {
    const options = { policy: rest(), basePath: '/api', store: memory(), startPage: true, onError }
    const created = createRouter(options)
    created.prepare(Book)
    created.prepare(BookReview)
    return created
  }
  const limited = router(failOnFault)
  // A page with its count is 2 points.
  limited.use(limit({ points: 4, seconds: 60 }))
  expect((await get(limited, '/api', html)).text).not.toContain('cannot be read now')
  const { text } = await get(limited, '/api', html)
  expect(text).toContain('The lists cannot be read now. Try again later.')
  expect(text).not.toContain('credentials')
  const failing = router(() => undefined)
  failing.prepare(Payment).use({
    query: {
      any: () => {
        throw new Error('broken')
      },
    },
  })
  const partly = (await get(failing, '/api', html)).text
  expect(partly).toContain('Some lists cannot be read now. Try again later.')
  expect(partly).toContain('>Books</a>')
  expect(partly).not.toMatch(/credentials|Payments/)
})

test('texts are escaped', async () => {
  const info = { title: `<script>alert('1')</script>`, version: '1', description: '"<i>' }
  const { text } = await get(await shop({ info }), '/api', html)
  expect(text).toContain('<h1>&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;</h1>')
  expect(text).toContain('<p>&quot;&lt;i&gt;</p>')
  expect(text).toContain('Novels &lt;b&gt;&amp; &quot;plays&quot;&lt;/b&gt;')
  expect(text).not.toMatch(/<script|<i>|<b>/)
})

test('links are absolute where the service has an address, and lead to the documentation', async () => {
  const router = await shop({ baseUrl: 'https://shop.example', docsPage: true })
  const { text } = await get(router, '/api', html)
  for (const path of ['/books?page[size]=20', '/docs', '/openapi.json'])
    expect(text).toContain(`href="https://shop.example/api${path}"`)
  expect((await get(await shop(), '/api', html)).text).not.toContain('/docs')
})

test('it shows the first request, with the address by which the client has come', async () => {
  const { text } = await get(await shop(), '/api', html)
  expect(text).toContain('curl -g &#39;http://localhost/api/books?page[size]=20&#39;')
  const configured = await get(await shop({ baseUrl: 'https://shop.example' }), '/api', html)
  expect(configured.text).toContain('curl -g &#39;https://shop.example/api/books?page[size]=20')
})

test('only browsers get it', async () => {
  const router = await shop()
  for (const accept of [
    '*/*',
    'application/json',
    'application/json, text/html;q=0.5',
    'text/html;q=0',
  ])
    expect((await get(router, '/api', { accept })).status, accept).toBe(404)
  for (const method of ['POST', 'DELETE', 'OPTIONS'])
    expect((await send(router, method, '/api', { headers: html })).status, method).toBe(404)
  const head = await send(router, 'HEAD', '/api', { headers: html })
  expect([head.status, head.text]).toEqual([200, ''])
  expect((await get(router, '/api/x', html)).status).toBe(404)
  expect((await get(await shop({ startPage: false }), '/api', html)).status).toBe(404)
})

test('unknown paths are suggested only where the document shows them', async () => {
  const detailOf = async (router: Router) => (await get(router, '/api/boks')).text
  expect(await detailOf(await shop())).not.toContain('/api/books')
  expect(await detailOf(await shop({ docsPage: true }))).toContain('/api/books')
})

test('hosts lead browsers from / to it', async () => {
  const router = await shop()
  const server = await serve(router)
  const plain = { basePath: '/plain', respond: router.respond }
  const handle = fetchHandler([plain, router])
  try {
    const ask = (path: string, headers: Readonly<Record<string, string>>) => [
      fetch(server.address + path, { headers, redirect: 'manual' }),
      handle(new Request(`http://localhost${path}`, { headers })),
    ]
    for (const response of await Promise.all(ask('/', html)))
      expect([response.status, response.headers.get('location')]).toEqual([302, '/api'])
    for (const response of await Promise.all([...ask('/', {}), ...ask('/x', html)]))
      expect(response.status).toBe(404)
  } finally {
    await server.close()
  }
})

test('a router at the root has it at /', async () => {
  const { status, text } = await get(await shop({ basePath: '' }), '/', html)
  expect([status, text.includes('href="/books?page[size]=20"')]).toEqual([200, true])
})

test('a path of a rule is not taken away', async () => {
  const policy: Policy = {
    ...rest(),
    rules: (...given) =>
      rest()
        .rules(...given)
        .map((rule) => ({ ...rule, path: rule.path.replace(/^\/books$/, '/') })),
  }
  const router = createRouter({ policy, store: memory(), startPage: true })
  router.prepare(Book)
  await expect(router.open()).rejects.toThrow('conflicts with the start page')
})
