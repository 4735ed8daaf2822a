import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../error/api-error.ts'
import { formatQuery, parseQuery } from './query-string.ts'

/** Every UTF-16 unit, halves of surrogate pairs among them. */
const codeUnit = fc.nat(0xffff).map((code) => String.fromCharCode(code))

function problemsOf(query: string) {
  try {
    parseQuery(query)
  } catch (error) {
    if (error instanceof ApiError) return error.problems
    throw error
  }
  return []
}

const faultsOf = (query: string) => problemsOf(query).map(({ code, source }) => [code, source])

describe('parseQuery', () => {
  it('reads base names, paths and values in the order sent', () => {
    expect(parseQuery('filter[price][gte]=10&sort=-price,title&flag')).toEqual([
      { key: 'filter[price][gte]', baseName: 'filter', path: ['price', 'gte'], value: '10' },
      { key: 'sort', baseName: 'sort', path: [], value: '-price,title' },
      { key: 'flag', baseName: 'flag', path: [], value: '' },
    ])
  })

  it('gives the same empty list for every empty query', () => {
    expect(parseQuery('')).toEqual([])
    expect(parseQuery('')).toBe(parseQuery(''))
  })

  it.each([
    ['a=1&&b=2&', ['a', 'b']],
    ['&&&', []],
    ['a=1&a=2', ['a', 'a']],
    ['=1', ['']],
  ])('N15: reads the names of %j', (query, keys) => {
    expect(parseQuery(query).map(({ key }) => key)).toEqual(keys)
  })

  it('QP4: decodes as forms do, in names too', () => {
    expect(parseQuery('a+b%2B=c+d%26%3D%C3%A9%F0%9F%98%80&x==y')).toEqual([
      { key: 'a b+', baseName: 'a b+', path: [], value: 'c d&=é😀' },
      { key: 'x', baseName: 'x', path: [], value: '=y' },
    ])
  })

  it.each([
    ['fields[books]=title', 'fields%5Bbooks%5D=title'],
    ['filter[a][]=1', 'filter%5ba]%5B%5d=1'],
    ['page[after]=x', '%70age%5Bafter%5D=x'],
  ])('QP5, QP6: %s and %s are the same', (raw, encoded) => {
    expect(parseQuery(encoded)).toEqual(parseQuery(raw))
  })

  it.each([
    ['filter[]', 'filter', ['']],
    ['filter[a][]', 'filter', ['a', '']],
    ['filter[author.name][contains]', 'filter', ['author.name', 'contains']],
    ['[x]', '', ['x']],
    ['a[__proto__]', 'a', ['__proto__']],
    ['__proto__[polluted]', '__proto__', ['polluted']],
    ['constructor[prototype][polluted]', 'constructor', ['prototype', 'polluted']],
  ])('N15, QP1: %s has the base name %j with the path %j', (key, baseName, path) => {
    expect(parseQuery(`${key}=1`)).toEqual([{ key, baseName, path, value: '1' }])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it.each([
    'filter[x',
    'filter]',
    'filter[x]]',
    'filter[[x]]',
    'filter[x]y',
    'filter[x]y[z]',
    'filter][',
    '[',
    'a[b]c',
  ])('QP1: the brackets of %s do not pair', (key) => {
    expect(faultsOf(`${key}=1`)).toEqual([['malformed-query', { parameter: key }]])
  })

  it.each([
    '%',
    '%z',
    '%zz',
    '%4',
    '%ff',
    '%c0%af',
    '%e0%80%80',
    '%ed%a0%80',
    '%f5%80%80%80',
    '%C3',
    '\ud800',
  ])('the value %j cannot be decoded', (value) => {
    expect(faultsOf(`a[b]=${value}`)).toEqual([['malformed-query', { parameter: 'a[b]' }]])
    expect(faultsOf(`a%5Bb%5D=${value}`)).toEqual([['malformed-query', { parameter: 'a[b]' }]])
  })

  it('a name that cannot be decoded is named as it was sent', () => {
    expect(faultsOf('a%ff%5B=1')).toEqual([['malformed-query', { parameter: 'a%ff%5B' }]])
  })

  it('shortens the names it repeats', () => {
    const [[, source] = []] = faultsOf(`${'a'.repeat(100)}%zz=1`)
    expect(source).toEqual({ parameter: `${'a'.repeat(64)}…` })
    const [[, wide] = []] = faultsOf(`${'a'.repeat(63)}${'😀'.repeat(9)}[=1`)
    expect(wide).toEqual({ parameter: `${'a'.repeat(63)}…` })
  })

  it('says all faults at once', () => {
    const long = 'k'.repeat(513)
    expect(faultsOf(`a=%zz&ok=1&b[=2&%ff=%ff&${long}=3`)).toEqual([
      ['malformed-query', { parameter: 'a' }],
      ['malformed-query', { parameter: 'b[' }],
      ['malformed-query', { parameter: '%ff' }],
      ['malformed-query', { parameter: '%ff' }],
      ['limit-exceeded', { parameter: `${'k'.repeat(64)}…` }],
    ])
  })

  it('N15: reads 200 parameters, but not 201', () => {
    expect(parseQuery(`${'a=1&'.repeat(200)}&&`)).toHaveLength(200)
    expect(problemsOf('a=1&'.repeat(201))).toMatchObject([
      { code: 'limit-exceeded', meta: { limit: 200 } },
    ])
    expect(problemsOf(`a=%zz&${'a=1&'.repeat(1000)}`).map(({ code }) => code)).toEqual([
      'malformed-query',
      'limit-exceeded',
    ])
  })

  it('N15: reads names of 512 characters, but not of 513', () => {
    expect(parseQuery(`${'%41'.repeat(512)}=1`)).toHaveLength(1)
    expect(problemsOf(`${'%41'.repeat(513)}=1`)).toMatchObject([
      { code: 'limit-exceeded', meta: { limit: 512 } },
    ])
  })

  it('N15: reads 32 KiB, but not more', () => {
    expect(parseQuery(`a=${'x'.repeat(32766)}`)).toHaveLength(1)
    expect(problemsOf(`a=${'x'.repeat(32767)}`)).toMatchObject([
      { code: 'limit-exceeded', meta: { limit: 32768 } },
    ])
  })

  it('reads what URLSearchParams reads, or refuses', () => {
    const unit = fc.constantFrom(
      'a',
      '=',
      '&',
      '+',
      '%',
      '5',
      'B',
      'D',
      '[',
      ']',
      '%5B',
      '%5D',
      '%41',
      '%C3%A9',
    )
    fc.assert(
      fc.property(fc.string({ unit }), (query) => {
        fc.pre(problemsOf(query).length === 0)
        expect(parseQuery(query).map(({ key, value }) => [key, value])).toEqual([
          ...new URLSearchParams(`?${query}`),
        ])
      }),
    )
  })

  it('reads or refuses every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: codeUnit, maxLength: 300 }), (query) => {
        for (const { code } of problemsOf(query))
          expect(['malformed-query', 'limit-exceeded']).toContain(code)
      }),
    )
  })
})

describe('formatQuery', () => {
  it('QP7: encodes brackets and leaves lists readable', () => {
    expect(
      formatQuery([
        ['page[after]', 'a.b-c_d'],
        ['sort', '-price,title'],
      ]),
    ).toBe('page%5Bafter%5D=a.b-c_d&sort=-price,title')
  })

  it('encodes all that has a meaning of its own', () => {
    expect(formatQuery([['a&=+#% "<>', 'é😀\r\n\ud800']])).toBe(
      'a%26%3D%2B%23%25%20%22%3C%3E=%C3%A9%F0%9F%98%80%0D%0A%EF%BF%BD',
    )
    expect(formatQuery([])).toBe('')
  })

  it('is read back as it was', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 })
    const key = text.filter((name) => !/[[\]]/.test(name))
    fc.assert(
      fc.property(fc.array(fc.tuple(key, text)), (entries) => {
        expect(parseQuery(formatQuery(entries)).map((entry) => [entry.key, entry.value])).toEqual(
          entries,
        )
      }),
    )
  })
})
