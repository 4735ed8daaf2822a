import { expect, test } from 'vitest'
import { ApiError } from '../../error/api-error.ts'
import { problem } from '../../error/problem.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import { defaultSelection } from '../selection.ts'
import { createParameterReader } from './parameter-reader.ts'

let times = 0

const title: QueryParameter = {
  baseNames: ['title'],
  describe: () => [],
  errors: [],
  read: ([entry]) => {
    times++
    const { value } = entry!
    if (value === 'wrong')
      return refuseParameter([problem('invalid-value', 'It is wrong.', { parameter: 'title' })])
    return acceptParameter({
      condition: { kind: 'oneOf', path: { names: ['title'] }, values: [value] },
      sort: [],
    })
  },
}
const page: QueryParameter = {
  baseNames: ['page'],
  describe: () => [],
  errors: [],
  read: () => acceptParameter({}),
}

const reader = () => createParameterReader([title, page])

function timesRead(work: () => void): number {
  times = 0
  work()
  return times
}

test('reads a query string once for all requests that ask just so', () => {
  const select = reader()
  const first = select('title=a')
  expect(first.condition).toEqual({ kind: 'oneOf', path: { names: ['title'] }, values: ['a'] })
  expect(timesRead(() => expect(select('title=a')).toBe(first))).toBe(0)
  expect(timesRead(() => expect(select('title=b')).not.toEqual(first))).toBe(1)
  expect(select('')).toBe(defaultSelection)
})

test('keeps apart what is spelled differently, and what another rule reads', () => {
  const select = reader()
  expect(
    timesRead(() => [
      select('title=a'),
      select('title=%61'),
      select('title=A'),
      select('&title=a'),
    ]),
  ).toBe(4)
  expect(timesRead(() => reader()('title=a'))).toBe(1)
})

test('cannot be changed through what one request gets', () => {
  const { condition } = reader()('title=a')
  if (condition.kind !== 'oneOf') throw new Error('The condition is another one.')
  expect(() => (condition.values as unknown[]).push('x')).toThrow(TypeError)
  expect(() => (condition.path.names as string[]).push('x')).toThrow(TypeError)
  expect(() => Object.assign(condition, { kind: 'always' })).toThrow(TypeError)
  expect(Object.isFrozen(condition)).toBe(true)
})

test('forgets what was asked long ago, and never keeps long query strings', () => {
  const select = reader()
  select('title=first')
  for (let index = 0; index < 1_000; index++) select(`title=${index}`)
  expect(timesRead(() => select('title=first'))).toBe(1)
  const long = `title=${'x'.repeat(300)}`
  expect(timesRead(() => [select(long), select(long)])).toBe(2)
})

test('refuses the same anew each time', () => {
  const select = reader()
  for (let time = 0; time < 2; time++) {
    expect(timesRead(() => expect(() => select('title=wrong&nothing=1')).toThrow(ApiError))).toBe(1)
  }
})

test('makes the canonical query string for links, with and without the page', () => {
  const { canonicalQuery } = reader()('&title=a%2Cb+c&page[size]=5&')
  expect(canonicalQuery).toEqual({
    complete: 'title=a,b%20c&page%5Bsize%5D=5',
    withoutPage: 'title=a,b%20c',
  })
  expect(reader()('page%5Bsize%5D=5').canonicalQuery?.withoutPage).toBe('')
})

test.each([
  ['groupBy', 'aggregate', 'groups'],
  ['withAggregates', 'aggregate', 'lists and groups'],
  ['withFacets', 'aggregate', 'lists'],
  ['search', 'search', 'lists and groups'],
  ['withHighlights', 'search', 'lists'],
])('names the option of models by which lists or groups take %s', (name, option, takers) => {
  let error: unknown
  try {
    reader()(`${name}=a`)
  } catch (thrown) {
    error = thrown
  }
  expect((error as ApiError).problems).toMatchObject([
    {
      code: 'unknown-parameter',
      detail: `Unknown query parameter '${name}'; expected one of title, page. Only ${takers} of models with the option '${option}' may take '${name}'.`,
    },
  ])
})
