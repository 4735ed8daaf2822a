import {
  createRouter,
  type Middleware,
  model,
  type Policy,
  type PreparedRouter,
  type RouterOptions,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { registrationKey, withoutHookFunctions } from './registration-key.ts'
import { cachedTruth } from './truth-cache.ts'

const Book = model('book', { title: z.string() })
const plain = rest()

describe('The truth of a document', () => {
  it('is made once for all routers with the same key, and compared with that of the second', () => {
    let made = 0
    const make = () => {
      made++
      return createRouter({ policy: plain, store: memory() }).toOpenApi()
    }
    const truths = [1, 2, 3, 4].map(() => cachedTruth('some key', '', make))
    expect(new Set(truths).size).toBe(1)
    expect(made).toBe(2)
  })

  it('is not taken where the key of two documents is the same', () => {
    const make = (basePath: string) => () =>
      createRouter({ policy: plain, basePath, store: memory() }).toOpenApi()
    cachedTruth('another key', '', make('/a'))
    expect(() => cachedTruth('another key', '', make('/b'))).toThrow('have the same key')
  })
})

describe('The key of a router', () => {
  const keyOf = (...values: readonly unknown[]) => {
    const key = registrationKey()
    key.note('call', ...values)
    return key.text()
  }

  it('is the same where what it is made from is', () => {
    const use = () => undefined
    const options = () => ({ limits: { maxPageSize: 5 }, use, list: ['a', 1, null, undefined] })
    expect(keyOf(Book, options())).toBe(keyOf(Book, options()))
  })

  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: '1' }],
    [{ a: undefined }, {}],
    [['a'], ['a', 'b']],
    [null, undefined],
    [() => 1, () => 1],
    [new Map(), new Map()],
    [Book, model('book', { title: z.string() })],
    [{ deep: { list: [{ of: () => 1 }] } }, { deep: { list: [{ of: () => 1 }] } }],
  ])('differs for %o and %o', (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other))
  })

  const keyOfMiddleware = (middleware: Middleware) => keyOf(withoutHookFunctions(middleware))
  const hooked = (): Middleware => ({ request: { any: () => {} }, around: (_, next) => next() })

  it('is the same for other functions of the same hooks', () => {
    expect(keyOfMiddleware(hooked())).toBe(keyOfMiddleware(hooked()))
  })

  it.each<[Middleware, Middleware]>([
    [hooked(), { request: { any: () => {} } }],
    [{ request: { any: () => {} } }, { request: { getItem: () => {} } }],
    [{ request: { getItem: () => {} } }, { query: { getItem: (query) => query } }],
    [
      { ...hooked(), declares: { errors: ['forbidden'] } },
      { ...hooked(), declares: { errors: ['forbidden'] } },
    ],
    [hooked(), { ...hooked(), declares: {} }],
  ])('differs for the hooks of %o and %o', (one, other) => {
    expect(keyOfMiddleware(one)).not.toBe(keyOfMiddleware(other))
  })
})

/** Each response is compared with the document of its router, so a wrong key fails these. */
describe.each<[string, Policy]>([
  ['plain REST', plain],
  ['JSON:API', jsonApi()],
])('Routers that differ in one thing have their own documents, under %s', (_, policy) => {
  const options = { policy, store: memory() }
  const differences: readonly Partial<RouterOptions>[] = [
    {},
    { basePath: '/api' },
    { limits: { maxPageSize: 7 } },
    { security: { defaultAccess: 'open' } },
    { idempotency: { required: ['write'] } },
  ]

  it.each(differences)('%o', async (difference) => {
    for (let times = 0; times < 3; times++) {
      const router = createRouter({ ...options, ...difference, store: memory() })
      router.prepare(Book)
      const path = `${difference.basePath ?? ''}/books`
      const response = await router.handle(new Request(`http://localhost${path}`))
      // The end of the body is what is compared.
      await response.text()
      expect(response.status).toBe(200)
    }
  })

  it.each<Middleware>([
    { request: { any: () => {} } },
    { query: { getItem: (query) => query } },
    { around: (_, next) => next() },
  ])('the hooks of %o', async (middleware) => {
    for (let times = 0; times < 3; times++) {
      const router = createRouter({ ...options, store: memory() })
      router.prepare(Book).use({ ...middleware })
      const response = await router.handle(new Request('http://localhost/books'))
      await response.text()
      expect(response.status).toBe(200)
    }
  })

  it('access rules, whose function is the same', async () => {
    let isOpen = false
    const rules: Parameters<PreparedRouter<InstanceType<typeof Book>>['access']>[0] = ({
      anyone,
      nobody,
    }) => ({ read: isOpen ? anyone : nobody, create: anyone })
    for (let times = 0; times < 6; times++) {
      isOpen = !isOpen
      const router = createRouter({ ...options, store: memory() })
      router.prepare(Book).access(rules)
      const response = await router.handle(new Request('http://localhost/books'))
      await response.text()
      expect(response.status).toBe(isOpen ? 200 : 403)
    }
  })
})
