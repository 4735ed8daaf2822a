import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isSameValue } from './same-value.ts'

it('compares JSON values as Node.js does', () => {
  const similar = fc
    .jsonValue({ maxDepth: 3 })
    .chain((value) =>
      fc.tuple(
        fc.constant(value),
        fc.oneof(fc.constant(JSON.parse(JSON.stringify(value))), fc.jsonValue({ maxDepth: 3 })),
      ),
    )
  fc.assert(
    fc.property(similar, ([one, other]) => {
      // JSON has one zero.
      const read = (value: unknown) => JSON.parse(JSON.stringify(value))
      expect(isSameValue(read(one), read(other))).toBe(isDeepStrictEqual(read(one), read(other)))
    }),
  )
})

it.each([
  [new Date(0), new Date(0), true],
  [new Date(0), new Date(1), false],
  [{ a: undefined }, {}, false],
  [{ a: undefined }, { b: undefined }, false],
  [[], {}, false],
  [null, {}, false],
  [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":2}'), false],
])('compares %j with %j', (one, other, isSame) => {
  expect(isSameValue(one, other)).toBe(isSame)
})
