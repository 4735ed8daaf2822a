import { expect, it } from 'vitest'
import { parseTypedValue } from './typed-value.ts'

const expectedOf = (values: readonly string[]) =>
  parseTypedValue({ kind: 'text', format: undefined, values }, 'none of them')

it('names the values there are, an empty one too', () => {
  expect(expectedOf(['on', '', 'off'])).toEqual({ kind: 'invalid', expected: "one of on, '', off" })
})

it('names the first ones of many, each in short, for every unfit value of a filter is told so', () => {
  const many = Array.from({ length: 3_000 }, (_, index) => `${index}`.repeat(1_000))
  const typed = expectedOf(many)
  expect(typed).toMatchObject({
    expected: expect.stringMatching(/^one of 0+…, 1+….*, … \(3000 values\)$/),
  })
  expect(JSON.stringify(typed).length).toBeLessThan(2_000)
})
