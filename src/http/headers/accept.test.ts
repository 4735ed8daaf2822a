import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accepts, parseAccept, qualityOf } from './accept.ts'

const plain = (header: string) =>
  parseAccept(header).map(({ range, parameters, q }) => [range, Object.fromEntries(parameters), q])

describe('parseAccept', () => {
  it('reads ranges, parameters and weights in the order sent', () => {
    expect(plain('text/*;q=0.3, Text/Plain;format=flowed ; q=0.7, */*;q=0.5,a/b')).toEqual([
      ['text/*', {}, 0.3],
      ['text/plain', { format: 'flowed' }, 0.7],
      ['*/*', {}, 0.5],
      ['a/b', {}, 1],
    ])
  })

  it('N3: keeps ext and profile, quoted lists among them, on either side of the weight', () => {
    expect(
      plain(
        'application/vnd.api+json;ext="https://a.example/x, y";q=0.5;profile="https://p.example"',
      ),
    ).toEqual([
      [
        'application/vnd.api+json',
        { ext: 'https://a.example/x, y', profile: 'https://p.example' },
        0.5,
      ],
    ])
  })

  it.each(['0', '0.', '0.0', '0.000', '0.001', '0.999', '1', '1.', '1.000'])(
    'reads the weight %s',
    (q) => {
      expect(plain(`a/b;Q=${q}`)).toEqual([['a/b', {}, Number(q)]])
    },
  )

  it.each(['2', '-1', '1.001', '0.1234', '.5', '', 'x', '"0.5', 'NaN', '1e0', '00'])(
    'N1: skips a member with the weight %j',
    (q) => {
      expect(plain(`x/y;q=${q}, a/b`).filter(([range]) => range === 'x/y')).toEqual([])
    },
  )

  it.each([
    '',
    ',',
    'text',
    '*',
    '*/html',
    'text/',
    'a b/c',
    'a/b c',
    '/',
    ';q=1',
    'a/b;a=1;a=2',
    '"a/b"',
  ])('N1: finds nothing in %j', (header) => {
    expect(parseAccept(header)).toEqual([])
  })

  it('skips malformed members, but no comma inside quotes', () => {
    expect(plain('text, a/b;x="1,c/d,\\",i/j,2" junk, e/f, ,*/json,g/h')).toEqual([
      ['e/f', {}, 1],
      ['g/h', {}, 1],
    ])
  })

  it('reads no more than a hundred members', () => {
    expect(parseAccept('a/b,'.repeat(500))).toHaveLength(100)
    expect(parseAccept(`${'junk,'.repeat(100)}a/b`)).toHaveLength(0)
    expect(parseAccept(`${','.repeat(500)}a/b`)).toHaveLength(1)
  })

  it('reads no members that start after 64 KiB', () => {
    expect(plain(`a/b,${' '.repeat(65536)},c/d`)).toEqual([['a/b', {}, 1]])
  })

  it('reads every text, however hostile', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('"', ',', ' ', ';', '/', '*', 'a', 'q', '=', '0', '\\', '\n'),
        }),
        (text) => {
          for (const { q } of parseAccept(text)) expect(q >= 0 && q <= 1).toBe(true)
        },
      ),
    )
    for (const piece of ['"', ',', ' ', ';', 'a/b;', 'a/b;c="', '\\', '*/*;q=']) {
      expect(() => parseAccept(piece.repeat(65536))).not.toThrow()
    }
  })
})

describe('accepts', () => {
  it.each([
    [undefined, true],
    ['*/*', true],
    ['application/json', true],
    ['Application/Json', true],
    ['application/*;q=0.5', true],
    ['text/html', false],
    ['text/html, */*;q=0.1', true],
    ['application/json;q=0', false],
    ['*/*;q=0', false],
    ['*/*, application/json;q=0', false],
    ['application/*;q=0, application/json', true],
    ['application/*;q=0, */*', false],
    ['application/json;q=0.0, application/*;q=1', false],
    ['application/json;version=2', false],
    ['application/json;version=2;q=0, application/json', true],
    ['application/json;charset=UTF-8', true],
    ['application/json;charset=latin1', false],
    ['application/jsonx', false],
    ['applicatio/*', false],
  ])('N1: Accept %j lets application/json be sent: %s', (header, expected) => {
    expect(accepts(header, 'application/json')).toBe(expected)
  })

  it('N1: takes a header in which nothing can be read as no wish at all', () => {
    expect(accepts('', 'application/json')).toBe(true)
    expect(accepts('garbage', 'application/json')).toBe(true)
    expect(accepts('a/b;q=7', 'application/json')).toBe(true)
  })

  it('asks that the type has the parameters of the range', () => {
    const type = 'application/vnd.oai.openapi+json;version=3.1'
    expect(accepts('application/vnd.oai.openapi+json', type)).toBe(true)
    expect(accepts('application/vnd.oai.openapi+json; version="3.1"', type)).toBe(true)
    expect(accepts('application/vnd.oai.openapi+json;version=3.0', type)).toBe(false)
    expect(accepts('application/vnd.oai.openapi+json;version=3.1;q=0, application/*', type)).toBe(
      false,
    )
  })
})

describe('qualityOf', () => {
  it('follows the example of RFC 9110 §12.5.1', () => {
    const ranges = parseAccept(
      'text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5',
    )
    expect(qualityOf(ranges, 'text/plain;format=flowed')).toBe(1)
    expect(qualityOf(ranges, 'text/plain')).toBe(0.7)
    expect(qualityOf(ranges, 'text/html')).toBe(0.3)
    expect(qualityOf(ranges, 'image/jpeg')).toBe(0.5)
    expect(qualityOf(ranges, 'text/plain;format=fixed')).toBe(0.4)
  })

  it('takes the higher of two weights for one range, and the type as it is when it is malformed', () => {
    expect(qualityOf(parseAccept('a/b;q=0.2, a/b;q=0.4, a/b;q=0.1'), 'a/b')).toBe(0.4)
    expect(qualityOf(parseAccept('*/*'), 'nonsense')).toBe(1)
    expect(qualityOf([], 'a/b')).toBe(0)
  })
})
