import fc from 'fast-check'
import type { Policy, Router } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import type { RequestBody } from 'resourcery/types'
import { describe, expect, test } from 'vitest'
import { plainBody, sendPlain, shop, storeKinds, type TestResponse } from '../http/service.ts'
import '../support/seed.ts'
import { percent, query } from './arbitrary-queries.ts'

const numRuns = Number(process.env.FUZZ_RUNS ?? 100)
const timeout = 60_000 + numRuns * 1_000

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** What both a URL and a body in UTF-8 can hold. */
const sentQuery = query.filter(
  (text) => !text.includes('#') && Buffer.from(text).toString() === text && text.length <= 32_768,
)

const policies: readonly {
  readonly name: string
  readonly policy: () => Policy
  readonly lists: readonly string[]
}[] = [
  { name: 'REST', policy: () => rest(), lists: ['/api/books', '/api/authors', '/api/reviews'] },
  {
    name: 'JSON:API',
    policy: () => jsonApi(),
    lists: ['/api/books', '/api/authors/a1/books', '/api/books/b1/relationships/genres'],
  },
]

describe.each(storeKinds)('On %s', (kind) => {
  test.each(policies)(
    'QUERY responds under $name as GET does',
    async ({ policy, lists }) => {
      const router = await shop(kind, { policy: policy() })
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...lists), sentQuery, async (path, text) => {
          const got = await sendPlain(router, { path, query: text })
          const queried = await ask(router, path, plainBody(text))
          expect(queried.status).toBe(got.status)
          if (text.startsWith('\ufeff')) return
          if (queried.status === 200 && !queried.headers.has('location'))
            expect(withoutLinks(queried)).toEqual(withoutLinks(got))
          else expect(partsOf(queried)).toEqual(partsOf(got))
        }),
        { numRuns },
      )
    },
    timeout,
  )

  test.each(policies)(
    'the address of Location has the same under $name',
    async ({ policy, lists }) => {
      const router = await shop(kind, { policy: policy() })
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...lists), sentQuery, async (path, text) => {
          const queried = await ask(router, path, plainBody(text))
          const location = queried.headers.get('location')
          if (location === null) return
          const [address = '', equivalent = ''] = location.split('?')
          const got = await sendPlain(router, { path: address, query: equivalent })
          expect(partsOf(got)).toEqual(partsOf(queried))
        }),
        { numRuns, examples: [['/api/books/b1/relationships/genres', '&&&']] },
      )
    },
    timeout,
  )
})

test(
  'bodies of any bytes are refused or read, and never fail',
  async () => {
    const router = await shop()
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .array(fc.constantFrom('%', '&', '=', '[', ']', 'filter', 'page', '\0', '+', '%C3'), {
          maxLength: 40,
        })
        .map((parts) => Buffer.from(parts.join(''))),
      fc
        .string({ unit: 'binary', maxLength: 100 })
        .map((text) => Buffer.from(`filter=${percent(text)}`)),
    )
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        const { status } = await ask(router, '/api/books', plainBody(bytes))
        expect([200, 400]).toContain(status)
      }),
      { numRuns },
    )
  },
  timeout,
)

function ask(router: Router, path: string, body: RequestBody): Promise<TestResponse> {
  return sendPlain(router, { method: 'QUERY', path, headers: form, body })
}

/** Cursors may be encrypted, each time in another way. */
function withoutCursors(text: string): string {
  return text.replaceAll(/(page%5B(?:after|before)%5D=)[\w.~-]+/g, '$1…')
}

/** What both have in common: all but what ADR 120 names. */
function partsOf({ headers, text }: TestResponse): object {
  const shared = [...headers].filter(([name]) => !['cache-control', 'location'].includes(name))
  return {
    headers: Object.fromEntries(shared.map(([name, value]) => [name, withoutCursors(value)])),
    text: withoutCursors(text),
  }
}

function withoutLinks({ json }: TestResponse): object {
  const {
    links: _,
    meta: __,
    ...others
  } = json<{ readonly links?: object; readonly meta?: object }>()
  return others
}
