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

/** As JavaScript calls it, without types that would refuse the arguments. */
const mark = action as (...values: readonly unknown[]) => void

/** A book with a method of each name, marked with these options. */
const withActions = (actions: Readonly<Record<string, object | undefined>>): AnyModel => {
  class Marked extends Book {}
  for (const [name, options] of Object.entries(actions)) {
    Object.defineProperty(Marked.prototype, name, { value: () => undefined })
    mark(Marked, name, options)
  }
  return Marked
}
const withAction = (name: string) => withActions({ [name]: undefined })
const withOptions = (options: object) => withActions({ act: options })

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
      () => rulesOf(withAction('author')),
      ["'author'", 'same name'],
    ],
    [
      'for a method that shadows a value',
      () => rulesOf(withAction('title')),
      ["'title'", "'book'", 'same name'],
    ],
    [
      'for a name that is no path segment',
      () => rulesOf(withAction('$send')),
      ["'$send'", 'segment'],
    ],
    [
      'for a name that ends in a hyphen',
      () => rulesOf(withAction('send-')),
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
      () => rulesOf(withActions({ checkOut: undefined, 'check-out': undefined })),
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
      () => rulesOf(withActions({ one: { id: 'act' }, two: { id: 'act' } })),
      ["'one'", "'two'", "'actForBook'"],
    ],
    [
      'for a method that is marked by action() and by a legacy decorator, which runs later',
      () => {
        const marked = withAction('act')
        Action(marked.prototype, 'act', { value: Reflect.get(marked.prototype, 'act') })
        return rulesOf(marked)
      },
      ["'act'", "'book'", 'twice', 'action() or with @Action'],
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
    const { router, prepared } = routerOf(withAction('lend'))
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
    const relationships = withAction('relationships')
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

describe('action() refuses to mark', () => {
  class Marked extends Book {
    static create(): void {}

    get half(): number {
      return (this.pages ?? 0) / 2
    }

    set size(size: number) {
      this.pages = size
    }

    lend(): void {}

    bringBack(): void {}

    later = (): void => {}

    static {
      action(this, 'lend')
    }
  }

  it.each<[string, readonly unknown[], readonly string[]]>([
    [
      'a name that is nearly one of a method',
      [Marked, 'lent'],
      ["'lent'", "'book'", "Did you mean 'lend'?"],
    ],
    [
      'a function in a field',
      [Marked, 'later'],
      ["'later'", 'no such method', 'as a method, later() { … }, not as a field'],
    ],
    ['a field of the model', [Marked, 'title'], ["'title'", 'no such method']],
    ['a getter', [Marked, 'half'], ["'half'", 'getter', 'expected a method']],
    ['a setter', [Marked, 'size'], ["'size'", 'setter', 'expected a method']],
    [
      'a static method',
      [Marked, 'create'],
      ["'create'", 'static method', 'expected an instance method'],
    ],
    ['the constructor', [Marked, 'constructor'], ["'constructor'", 'no such method']],
    ['a method that every object has', [Marked, 'valueOf'], ["'valueOf'", 'no such method']],
    ['a method that every function has', [Marked, 'apply'], ["'apply'", 'no such method']],
    ['a method twice', [Marked, 'lend'], ["'lend'", 'twice', 'Mark it once']],
    ['no name', [Marked], ["'undefined'", 'expected the name of a method']],
    ['a function', [Marked, Marked.create], ["'create'", 'expected the name of a method']],
    ['a class that is no model', [class Plain {}, 'run'], ["'Plain'", 'expected the class']],
    [
      'the function that it gets in a field',
      [z.object({}), () => undefined],
      ["'object'", 'expected the class of a model', "static { action(this, 'discount', schema) }"],
    ],
    [
      'the function that it gets in a field, without a schema',
      [() => undefined],
      ["'function'", 'expected the class of a model'],
    ],
    [
      'with options that are none',
      [Marked, 'bringBack', 'fast'],
      ["'fast'", 'options of action()'],
    ],
  ])('%s', (_, values, words) => {
    const call = () => mark(...values)
    expect(call).toThrow(RegistrationError)
    for (const word of words) expect(messageOf(call)).toContain(word)
  })
})

describe('The actions of a class', () => {
  const actionsOf = (book: AnyModel) =>
    rulesOf(book)
      .filter(({ operation }) => operation === 'ItemMethodApiOperation')
      .map(({ path }) => path.replace('/books/:id/', ''))

  class Lent extends Book {
    lend(): void {}
    bringBack(): void {}
    unmarked(): void {}

    static {
      action(this, 'lend', { description: 'Lends it' })
      action(this, 'bringBack')
    }
  }

  it('are found without an instance of it', () => {
    let count = 0
    const refuseToExist = (): never => {
      count++
      throw new Error('There is no item yet')
    }
    class Strict extends Lent {
      constructor() {
        super(refuseToExist())
      }
    }
    expect(actionsOf(Strict)).toEqual(['lend', 'bringBack'])
    expect(count).toBe(0)
    expect(() => new Strict()).toThrow('There is no item yet')
  })

  it('are inherited, and overriding methods are actions only where they are marked again', () => {
    class Special extends Lent {
      override lend(): void {}
      override bringBack(): void {}

      static {
        action(this, 'bringBack')
      }
    }
    expect(actionsOf(Special)).toEqual(['bringBack'])
    expect(actionsOf(class Other extends Lent {})).toEqual(['lend', 'bringBack'])
    expect(actionsOf(Lent)).toEqual(['lend', 'bringBack'])
  })

  it('can be inherited methods, whose base class is left alone', () => {
    class Marking extends Lent {
      static {
        action(this, 'unmarked')
        action(this, 'lend', { description: 'Lends it to members' })
      }
    }
    const descriptions = (book: AnyModel) =>
      rulesOf(book).flatMap(({ target }) =>
        target.kind === 'action' ? [target.action.description] : [],
      )
    expect(actionsOf(Marking)).toEqual(['unmarked', 'lend', 'bringBack'])
    expect(descriptions(Marking)).toEqual([undefined, 'Lends it to members', undefined])
    expect(actionsOf(Lent)).toEqual(['lend', 'bringBack'])
    expect(descriptions(Lent)).toEqual(['Lends it', undefined])
  })

  it('can be methods of one function in several models', () => {
    const shared = () => undefined
    const model = (options: object) => {
      class Sharing extends Book {}
      Object.defineProperty(Sharing.prototype, 'act', { value: shared })
      mark(Sharing, 'act', options)
      return rulesOf(Sharing).find(({ target }) => target.kind === 'action')?.operationId
    }
    expect(model({ id: 'one' })).toBe('oneForBook')
    expect(model({ id: 'two' })).toBe('twoForBook')
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
      withActions({ lend: { input, id: 'lend', description: 'Lends' } }),
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
