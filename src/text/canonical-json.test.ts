import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

it('has one text for equal values, whatever the order of members is', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}')
  expect(canonicalJson({ id: 5n })).toBe('{"id":["bigint","5"]}')
  expect(canonicalJson(undefined)).toBe('undefined')
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse())
      expect(canonicalJson(reversed)).toBe(canonicalJson(value))
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

it('has another text for other callers, whatever they are made of', () => {
  class Account {
    readonly #id: string
    constructor(id: string) {
      this.#id = id
    }
    get id() {
      return this.#id
    }
  }
  const different = [
    new Map([['id', 'ann']]),
    new Map([['id', 'bob']]),
    { roles: new Set(['a']) },
    { roles: new Set(['b']) },
    { id: 5n },
    { id: '5n' },
    { id: Number.NaN },
    { id: null },
    {},
  ]
  expect(new Set(different.map(canonicalJson)).size).toBe(different.length)
  expect(canonicalJson(new Set(['b', 'a']))).toBe(canonicalJson(new Set(['a', 'b'])))
  expect(() => canonicalJson({ account: new Account('ann') })).toThrow(/'Account' look the same/)
})
