import fc from 'fast-check'
import { type ApiRequest, errorCatalog } from 'resourcery'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  comparedKinds,
  openStore,
  type Problems,
  plainBody,
  send,
  sendPlain,
  shopOn,
  stock,
  storeKinds,
  type TestResponse,
} from '../http/service.ts'
import { knownNames, loneSurrogate, longText, percent, query, text } from './arbitrary-queries.ts'

/** The number of runs; an environment variable sets a long form. A failure prints its seed. */
const numRuns = Number(process.env.FUZZ_RUNS ?? 100)
const timeout = 60_000 + numRuns * 1_000

const unhandled: unknown[] = []
const onUnhandled = (error: unknown) => void unhandled.push(error)

beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', onUnhandled)
})

afterEach(() => {
  process.off('unhandledRejection', onUnhandled)
})

/** Names that no response may contain unless the request does. */
const hiddenName = 'costPrice'
/** The document names it, as a member that bodies may set. */
const writeOnlyName = 'email'

const segment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...knownNames.ids) },
  { weight: 1, arbitrary: text.map(percent) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      text,
      loneSurrogate,
      fc.constantFrom('%zz', '%', '%2F', '%00', '%c0%af', '..', '.', ';x', '%ed%a0%80'),
    ),
  },
)
const path = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(...knownNames.plurals).map((plural) => `/api/${plural}`),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom(...knownNames.plurals), segment)
      .map((parts) => `/api/${parts.join('/')}`),
  },
  {
    weight: 1,
    arbitrary: fc.array(segment, { maxLength: 5 }).map((parts) => `/api/${parts.join('/')}`),
  },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 3 }).map((parts) => parts.join('/')) },
)

const method = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom('GET', 'GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'TRACE',
      'CONNECT',
      'QUERY',
      'get',
      'FOO',
      '__proto__',
      'PROPFIND',
      '',
    ),
  },
)

const tag = fc.oneof(
  fc.constantFrom('*', '"x"', 'W/"x"', '', '"', 'W/', ',', '"a,b", *', `"${longText}"`),
  text,
)
const headers = fc
  .record(
    {
      accept: fc.oneof(
        fc.constantFrom(
          '*/*',
          'application/json',
          'text/html',
          'application/json;q=0',
          ';',
          '*/*;q=2',
        ),
        text,
      ),
      'content-type': fc.oneof(
        {
          weight: 6,
          arbitrary: fc.constantFrom('application/json', 'application/merge-patch+json'),
        },
        {
          weight: 1,
          arbitrary: fc.oneof(
            fc.constantFrom('application/json;charset=latin1', 'text/plain', ';', '"'),
            text,
          ),
        },
      ),
      'if-match': tag,
      'if-none-match': tag,
      'content-encoding': fc.constantFrom('gzip', 'identity', ''),
      'content-length': fc.constantFrom('0', '1', '-1', 'x', '99999999999'),
      'content-range': fc.constant('bytes 0-1/2'),
      'x-http-method-override': fc.constant('DELETE'),
      prefer: fc.constantFrom('return=minimal', 'handling=strict'),
      range: fc.constant('bytes=0-1'),
      ['__proto__']: text,
      constructor: text,
    },
    { requiredKeys: [], noNullPrototype: false },
  )
  .map((all) => ({ 'content-type': 'application/json', ...all }))

const json: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  text,
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    1e300,
    0.1 + 0.2,
    [],
    {},
    [[]],
    { $ne: null },
    { id: 'a1' },
  ),
)

/** Valid bodies, by model. */
const valid: Readonly<Record<string, fc.Arbitrary<Record<string, unknown>>>> = {
  author: fc.record(
    { name: fc.constantFrom('New', '日本'), bio: fc.constant('x') },
    { requiredKeys: ['name'] },
  ),
  publisher: fc.record(
    { name: fc.constant('New'), country: fc.constant('FR') },
    { requiredKeys: ['name'] },
  ),
  genre: fc.record(
    {
      id: fc.constantFrom('new', 'gothic'),
      name: fc.constant('N'),
      parent: fc.constantFrom('fiction', null, 'none'),
    },
    {
      requiredKeys: ['id', 'name'],
    },
  ),
  book: fc.record(
    {
      id: fc.constantFrom('b1', 'new'),
      title: fc.constantFrom('New', 'x'.repeat(300)),
      isbn: fc.constantFrom('9780000000001', '1'),
      price: fc.constantFrom(0, 1.5, 1e308),
      inStock: fc.boolean(),
      pages: fc.constantFrom(1, 9007199254740991),
      publishedAt: fc.constant('1818-01-01'),
      tags: fc.constantFrom([], ['x'], ['', 'x']),
      dimensions: fc.constantFrom({ width: 1, height: 2 }, { width: 1, height: 2, unit: 'mm' }),
      author: fc.constantFrom('a1', 'a2', 'none'),
      publisher: fc.constantFrom('p1', null),
      genres: fc.constantFrom([], ['gothic', 'gothic'], ['none']),
    },
    { requiredKeys: ['title', 'price', 'author'] },
  ),
  review: fc.record(
    {
      rating: fc.constantFrom(1, 5),
      book: fc.constantFrom('b1', 'b2'),
      email: fc.constant('x@y.z'),
    },
    {
      requiredKeys: ['rating', 'book'],
    },
  ),
  label: fc.record({ name: fc.constant('New') }),
  ledger: fc.record({ total: fc.constantFrom(0, -1.5) }),
}

const members = [
  'id',
  'title',
  'price',
  'name',
  'tags',
  'dimensions',
  'author',
  'genres',
  'isbn',
  'pages',
  'rating',
  'book',
].concat([
  'hash',
  'createdAt',
  'costPrice',
  'email',
  '__proto__',
  'constructor',
  'toString',
  'a/b~c',
  '',
  'x'.repeat(2_000),
])

/** The JSON text of an object with these members, also duplicate ones. */
const objectText = (entries: readonly (readonly [string, string])[]) =>
  `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${one}`).join(',')}}`

const bodyText = fc.constantFrom(...knownNames.names).chain((name) => {
  const whole = valid[name]!
  const near = fc
    .tuple(
      whole,
      fc.array(
        fc.tuple(
          fc.constantFrom(...members),
          json.map((entry) => JSON.stringify(entry)),
        ),
        { maxLength: 2 },
      ),
    )
    .map(([item, broken]) => {
      const members = Object.entries(item).filter(
        ([member]) => !broken.some(([other]) => other === member),
      )
      return objectText([
        [
          name,
          objectText([
            ...members.map(([member, one]) => [member, JSON.stringify(one)] as const),
            ...broken,
          ]),
        ],
      ])
    })
  const rawMember = fc.constantFrom(
    '1e400',
    '-0',
    '9007199254740993',
    '"\\u0000"',
    '"\\ud800"',
    '01',
    'NaN',
    'undefined',
    "'x'",
    '',
  )
  const hostile = fc.oneof(
    fc
      .tuple(fc.constantFrom(...members), rawMember)
      .map(([member, one]) => objectText([[name, objectText([[member, one]])]])),
    fc.constantFrom(...members).map((member) =>
      objectText([
        [
          name,
          objectText([
            [member, '1'],
            [member, '2'],
          ]),
        ],
      ]),
    ),
    fc
      .constantFrom(64, 65, 10_000)
      .map((depth) => objectText([[name, `${'['.repeat(depth)}${']'.repeat(depth)}`]])),
    fc
      .constantFrom(60, 10_000)
      .map((depth) => objectText([[name, `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`]])),
    fc.constant(objectText([[name, objectText([['title', `"${longText}"`]])]])),
    json.map((entry) => JSON.stringify(entry)),
    json.map((entry) => objectText([[name, JSON.stringify(entry)]])),
    text,
  )
  const plain = whole.map((item) => JSON.stringify({ [name]: item }))
  const trailing = fc
    .tuple(plain, fc.constantFrom('x', ',', '{}', '\0', '\u00a0', ' ', '\n'))
    .map((parts) => parts.join(''))
  return fc.oneof(
    { weight: 3, arbitrary: plain },
    { weight: 4, arbitrary: near },
    { weight: 2, arbitrary: hostile },
    trailing,
  )
})

const maxBodyBytes = fc.oneof(
  { weight: 10, arbitrary: bodyText.map((one) => Buffer.from(one)) },
  { weight: 1, arbitrary: bodyText.map((one) => Buffer.from(`\ufeff${one}`)) },
  {
    weight: 1,
    arbitrary: bodyText.map((entry) => Buffer.concat([Buffer.from(entry), Buffer.from([0xff])])),
  },
  { weight: 1, arbitrary: bodyText.map((entry) => Buffer.from(entry, 'utf16le')) },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ size: 'max', maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  },
)

interface GeneratedRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer | undefined
}

const asked: fc.Arbitrary<GeneratedRequest> = fc.record({
  method,
  path,
  query,
  headers,
  body: fc.option(maxBodyBytes, { nil: undefined, freq: 3 }),
})

/**
 * A write whose body has the right key, so that it passes the check of the document's structure.
 */
const fitting: fc.Arbitrary<GeneratedRequest> = fc
  .nat(knownNames.plurals.length - 1)
  .chain((index) =>
    fc
      .record({
        method: fc.constantFrom('POST', 'PATCH', 'PUT'),
        path: fc
          .constantFrom(...knownNames.ids)
          .map((id) => `/api/${knownNames.plurals[index]}/${id}`),
        query: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, query),
        headers: fc.constant({ 'content-type': 'application/json' }),
        body: fc
          .tuple(
            valid[knownNames.names[index]!]!,
            fc.array(fc.tuple(fc.constantFrom(...members), json), { maxLength: 2 }),
          )
          .map(([item, broken]) =>
            Buffer.from(
              JSON.stringify({
                [knownNames.names[index]!]: { ...item, ...Object.fromEntries(broken) },
              }),
            ),
          ),
      })
      .map((entry) =>
        entry.method === 'POST'
          ? { ...entry, path: entry.path.slice(0, entry.path.lastIndexOf('/')) }
          : entry,
      ),
  )

/** Reads of lists and items of the shop, with parameters that mostly exist. */
const reading: fc.Arbitrary<GeneratedRequest> = fc.record({
  method: fc.constantFrom('GET', 'HEAD'),
  path: fc.oneof(
    fc.constantFrom(...knownNames.plurals).map((plural) => `/api/${plural}`),
    fc.constantFrom(
      '/api/books/b1',
      '/api/authors/a1',
      '/api/publishers/p1',
      '/api/genres/gothic',
      '/api/reviews/r1',
    ),
  ),
  query,
  headers: fc.constant({}),
  body: fc.constant(undefined),
})

const requests = fc.array(fc.oneof(asked, fitting, reading), { minLength: 1, maxLength: 12 })

const secretText =
  /\n\s+at .+:\d+|node_modules|\/src\/|sqlite|syntax error|no such (?:column|table)|json_extract|\bselect\b.+\bfrom\b/i

function sentText({ method, path, query, headers, body }: GeneratedRequest): string {
  const all = `${method} ${path} ${query} ${JSON.stringify(headers)} ${body?.toString('utf8') ?? ''}`
  return `${all} ${all.replace(/%[0-9a-f]{2}/gi, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)))}`
}

function checkError(one: GeneratedRequest, response: TestResponse): void {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  const problems = response.json<Problems>()
  expect(problems).toMatchObject({
    type: expect.any(String),
    title: expect.any(String),
    status: response.status,
  })
  expect(problems.detail.length).toBeGreaterThan(0)
  expect(problems.errors.length).toBeGreaterThan(0)
  const codes: Readonly<Record<string, { status: number; title: string }>> = errorCatalog
  for (const { code, status, title, detail, source } of problems.errors) {
    expect(Object.hasOwn(codes, code)).toBe(true)
    expect({ status, title }).toEqual({ status: codes[code]!.status, title: codes[code]!.title })
    expect(detail.length).toBeGreaterThan(0)
    if (source?.pointer !== undefined)
      expect([source.pointer, resolves(one.body, source.pointer)]).toEqual([source.pointer, true])
  }
  const statuses = new Set(problems.errors.map((error) => error.status))
  if (statuses.size === 1) expect(statuses.has(response.status)).toBe(true)
  const body = sentText(one)
  if (!body.includes(hiddenName)) expect(response.text).not.toContain(hiddenName)
  if (!body.includes(writeOnlyName)) {
    for (const { code, detail } of problems.errors)
      if (code !== 'unknown-member') expect(detail).not.toContain(writeOnlyName)
  }
  if (!secretText.test(body)) expect(response.text).not.toMatch(secretText)
}

/** Does the JSON Pointer (RFC 6901) exist in the request body? */
function resolves(body: Buffer | undefined, pointer: string): boolean {
  let target: unknown
  try {
    target = JSON.parse(body?.toString('utf8') ?? '')
  } catch {
    return false
  }
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return false
    target = Reflect.get(target, key)
  }
  return pointer === '' || pointer.startsWith('/')
}

function choosesId({ body }: GeneratedRequest): boolean {
  try {
    const [item] = Object.values(
      JSON.parse(body?.toString('utf8') ?? '') as Record<string, { id?: unknown } | null>,
    )
    return typeof item?.id === 'string'
  } catch {
    return true
  }
}

function check(one: GeneratedRequest, response: TestResponse): void {
  expect(response.status === 501 || response.status < 500).toBe(true)
  expect(response.headers.get('vary')?.split(/, ?/)).toContain('Accept')
  for (const [, value] of response.headers) expect(value).toMatch(/^[\t\x20-\x7e\x80-\xff]*$/)
  if (response.status >= 400) checkError(one, response)
  else if (response.status === 204 || response.status === 304) expect(response.text).toBe('')
  else {
    expect(response.headers.get('content-type')).toBe('application/json')
    // HEAD does not run a streamed list.
    if (one.method !== 'HEAD' || response.text !== '')
      expect(JSON.parse(response.text)).toBeTypeOf('object')
    for (const name of [hiddenName, writeOnlyName])
      expect(response.text).not.toContain(`"${name}":`)
  }
}

/** Versions are salted, so they differ between stores. */
function settled(text: string): string {
  return text
    .replaceAll(/(?<=hash\\*":\\*")[\w-]{43}/g, '…')
    .replaceAll(/\["etag",".*?"\]/g, '["etag","…"]')
}

describe.each(storeKinds)('whole requests, on the %s store', (kind) => {
  test(
    'never cause a 5xx, and every error is one of the catalog without internals',
    async () => {
      await fc.assert(
        fc.asyncProperty(requests, async (all) => {
          const { store, dispose } = await openStore(kind)
          const reported: unknown[] = []
          const router = shopOn(store, {
            onError: (error, context) => {
              if (!(error instanceof Error && error.message.startsWith('method-not-implemented')))
                reported.push(error, context?.rule)
            },
          })
          try {
            await stock(router)
            for (const entry of all) {
              const request: Partial<ApiRequest> = {
                ...entry,
                body: entry.body && plainBody(entry.body),
              }
              const response = await sendPlain(router, request)
              check(entry, response)
              expect(reported).toEqual([])
            }
            expect(await send(router, 'OPTIONS', '/api/books')).toMatchObject({ status: 204 })
          } finally {
            await dispose()
          }
          expect(unhandled).toEqual([])
          expect(({} as Record<string, unknown>).polluted).toBeUndefined()
        }),
        { numRuns: kind === 'memory' ? numRuns : Math.ceil(numRuns / 2) },
      )
    },
    timeout,
  )
})

test(
  'two stores lead to the same responses',
  async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (all) => {
        const opened = await Promise.all(comparedKinds.map((kind) => openStore(kind)))
        try {
          const routers = opened.map(({ store }) =>
            shopOn(store, {
              security: { cursorSecret: 'shared, and long enough for nobody to guess it' },
            }),
          )
          for (const router of routers) await stock(router)
          for (const entry of all) {
            // Ids that the service generates differ between stores.
            if (entry.method === 'POST' && !choosesId(entry)) continue
            const responses: TestResponse[] = []
            for (const router of routers)
              responses.push(
                await sendPlain(router, { ...entry, body: entry.body && plainBody(entry.body) }),
              )
            const seen = responses.map(({ status, headers, text }) =>
              settled(JSON.stringify({ status, headers: [...headers], text })),
            )
            expect(seen[1]).toEqual(seen[0])
          }
        } finally {
          for (const { dispose } of opened) await dispose()
        }
      }),
      { numRuns: Math.ceil(numRuns / 3) },
    )
  },
  timeout,
)
