import {
  Action,
  type AnyModel,
  action,
  createRouter,
  model,
  RegistrationError,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { policies } from '../support/policies.ts'

const Author = model('author', { name: z.string(), books: toMany('book', { inverse: 'author' }) })
const Book = model('book', {
  title: z.string(),
  pages: z.int().optional(),
  author: toOne('author', { optional: true }),
})

/** Accepts marks that the types would refuse. */
const withMethods = (methods: Readonly<Record<string, unknown>>): AnyModel => {
  class Marked extends Book {}
  for (const [name, value] of Object.entries(methods))
    Object.defineProperty(Marked.prototype, name, { value, configurable: true })
  return Marked
}
const act = action(() => undefined)
const withOptions = (options: object) => withMethods({ act: action(options, () => undefined) })

const routerOf = (book: AnyModel, kind = policies[0]!) => {
  const router = kind.router(memory())
  router.prepare(Author)
  return { router, prepared: router.prepare(book) }
}
const rulesOf = (book: AnyModel) => routerOf(book).router.rules

describe('Registration of actions is refused with a full sentence', () => {
  it.each<[string, () => unknown, string[]]>([
    [
      'for a method that shadows a relation',
      () => rulesOf(withMethods({ author: act })),
      ["'author'", 'same name'],
    ],
    [
      'for a method that shadows a value',
      () => rulesOf(withMethods({ title: act })),
      ["'title'", "'book'", 'same name'],
    ],
    [
      'for a name that is no path segment',
      () => rulesOf(withMethods({ $send: act })),
      ["'$send'", 'segment'],
    ],
    [
      'for a name that ends in a hyphen',
      () => rulesOf(withMethods({ 'send-': act })),
      ["'send-'", 'segment'],
    ],
    [
      'for an id of other characters',
      () => rulesOf(withOptions({ id: 'act-up' })),
      ["'act-up'", 'id'],
    ],
    ['for an id that is too long', () => rulesOf(withOptions({ id: 'a'.repeat(64) })), ['64']],
    [
      'for an input that is no schema',
      () => rulesOf(withOptions({ input: 'text' })),
      ['input', "'act'", 'schema'],
    ],
    [
      'for an input that JSON cannot hold',
      () => rulesOf(withOptions({ input: z.object({ when: z.date() }) })),
      ['input', "'act'", 'JSON'],
    ],
    [
      'for an output that JSON cannot hold',
      () => rulesOf(withOptions({ output: z.bigint() })),
      ['output', 'JSON'],
    ],
    [
      'for a response that is no error',
      () => rulesOf(withOptions({ responses: { 202: 'Later' } })),
      ['202', 'error'],
    ],
    [
      'for a response that is no status',
      () => rulesOf(withOptions({ responses: { 999: 'What' } })),
      ['999'],
    ],
    [
      'for two methods with the same operation id',
      () => rulesOf(withMethods({ checkOut: act, 'check-out': act })),
      [
        "'checkOut'",
        "'check-out'",
        "'postCheckOutForBooksItemById'",
        '/books/:id/checkOut',
        '/books/:id/check-out',
      ],
    ],
    [
      'for two methods of one id',
      () =>
        rulesOf(
          withMethods({ one: action({ id: 'act' }, () => 1), two: action({ id: 'act' }, () => 2) }),
        ),
      ["'one'", "'two'", "'actForBook'"],
    ],
    [
      'for a class with actions that cannot be looked into',
      () =>
        rulesOf(
          class Strict extends Book {
            constructor(values: ConstructorParameters<typeof Book>[0]) {
              super(values)
              if (values.title.length < 3) throw new Error('The title is too short')
            }
            act = action(() => undefined)
          },
        ),
      ["'book'", 'The title is too short'],
    ],
  ])('%s', (_, register, words) => {
    expect(register).toThrow(RegistrationError)
    const message = messageOf(register)
    for (const word of words) expect(message).toContain(word)
    expect(message).toMatch(/\.$/)
  })

  it.each<[string, (prepared: ReturnType<typeof routerOf>['prepared']) => unknown, string[]]>([
    [
      'for an operation that shadows a relation',
      (prepared) => prepared.itemOperation('author', () => undefined),
      ["'author'", 'same name'],
    ],
    [
      'for a name that is no path segment',
      (prepared) => prepared.itemOperation('a/b', () => undefined),
      ["'a/b'"],
    ],
    [
      'for a name that objects inherit',
      (prepared) => prepared.itemOperation('toString', () => undefined),
      ["'toString'"],
    ],
    [
      'for two operations on one path',
      (prepared) => prepared.itemOperation('lend', () => 1).itemOperation('lend', () => 2),
      ["'lend'", '/books/:id/lend', 'same path'],
    ],
    [
      'for two with the same operation id',
      (prepared) => prepared.itemOperation('check-out', () => 1).itemOperation('checkOut', () => 2),
      ["'check-out'", "'checkOut'", "'postCheckOutForBooksItemById'"],
    ],
    [
      'for what is no function',
      (prepared) => prepared.itemOperation('lend', 'later' as unknown as () => void),
      ["'lend'", "'book'", 'function'],
    ],
  ])('%s, beside the methods', (_, register, words) => {
    const { router, prepared } = routerOf(Book)
    register(prepared)
    expect(() => router.rules).toThrow(RegistrationError)
    for (const word of words) expect(messageOf(() => router.rules)).toContain(word)
  })

  it('for two actions at one path', () => {
    const { router, prepared } = routerOf(withMethods({ lend: act }))
    prepared.itemOperation('lend', () => undefined)
    expect(messageOf(() => router.rules)).toMatch(
      /'lend' of 'book'.*'lend' of 'book'.*\/books\/:id\/lend/,
    )
  })

  it('under JSON:API for an action called relationships, and for an output that meta cannot hold', () => {
    const under = (book: AnyModel, policy = jsonApi()) => {
      const router = createRouter({ policy, store: memory() })
      router.prepare(Author)
      router.prepare(book)
      return router.rules
    }
    const relationships = withMethods({ relationships: act })
    expect(messageOf(() => under(relationships))).toContain('relationships')
    expect(under(relationships, rest()).map(({ path }) => path)).toContain(
      '/books/:id/relationships',
    )
    expect(messageOf(() => under(withOptions({ output: z.number() })))).toContain('meta')
    expect(messageOf(() => under(withOptions({ output: z.object({}).nullable() })))).toContain(
      'meta',
    )
    const either = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])
    expect(under(withOptions({ output: either })).length).toBeGreaterThan(0)
  })

  it('after the first request', async () => {
    const { router, prepared } = routerOf(Book)
    await router.open()
    expect(() => prepared.itemOperation('lend', () => undefined)).toThrow(RegistrationError)
  })
})

describe('@Action refuses to decorate', () => {
  const standard = (kind: string, more: object = {}) => ({
    kind,
    name: 'act',
    static: false,
    private: false,
    ...more,
  })
  const decorate = Action() as unknown as (...decorated: unknown[]) => void

  it.each<[string, unknown[]]>([
    ['a getter', [() => 1, standard('getter')]],
    ['a field', [undefined, standard('field')]],
    ['an accessor', [{}, standard('accessor')]],
    ['a class', [class {}, standard('class')]],
    ['a static method', [() => 1, standard('method', { static: true })]],
    ['a private method', [() => 1, standard('method', { private: true })]],
    ['a property, under the older convention', [{}, 'act', undefined]],
    ['a getter, under the older convention', [{}, 'act', { get: () => 1 }]],
    ['a static method, under the older convention', [class {}, 'act', { value: () => 1 }]],
  ])('%s', (_, decorated) => {
    expect(() => decorate(...decorated)).toThrow(RegistrationError)
    expect(messageOf(() => decorate(...decorated))).toContain('expected a public instance method')
  })

  it('a class under the older convention, which passes only the class', () => {
    expect(() => Reflect.apply(Action, undefined, [class {}])).toThrow(RegistrationError)
  })
})

describe('Rules of actions', () => {
  it('have a summary, and the operation id that they were registered with', () => {
    const input = z.object({ to: z.string() })
    const { router, prepared } = routerOf(
      withMethods({ lend: action({ input, id: 'lend', description: 'Lends' }, () => 1) }),
    )
    prepared.itemOperation('check-out', () => 1, {
      id: 'checkOut',
      responses: { 409: 'Lent already', 402: 'Unpaid' },
    })
    const [lend, checkOut] = router.rules.filter(({ target }) => target.kind === 'action')
    expect(lend).toMatchObject({
      operation: 'ItemMethodApiOperation',
      method: 'POST',
      path: '/books/:id/lend',
      operationId: 'lendForBook',
      target: {
        kind: 'action',
        action: { description: 'Lends', input: { jsonSchema: { required: ['to'] } } },
      },
    })
    expect(checkOut).toMatchObject({
      operation: 'ItemApiOperation',
      path: '/books/:id/check-out',
      operationId: 'checkOutForBook',
    })
    const declared = checkOut!.errorResponses.filter(({ code }) => code === undefined)
    expect(declared).toEqual([
      { status: 402, code: undefined, description: 'Unpaid', headers: {} },
      { status: 409, code: undefined, description: 'Lent already', headers: {} },
    ])
    expect(Object.isFrozen(checkOut)).toBe(true)
  })
})

function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return 'nothing was thrown'
}
