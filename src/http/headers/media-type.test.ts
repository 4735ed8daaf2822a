import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseMediaType } from './media-type.ts'

describe('parseMediaType', () => {
  it.each([
    ['application/json', 'application/json', {}],
    ['Application/JSON; charset=utf-8', 'application/json', { charset: 'utf-8' }],
    ['text/html;Charset="UTF-8"', 'text/html', { charset: 'UTF-8' }],
    [
      'application/json \t;\t charset=latin1 ; q=1',
      'application/json',
      { charset: 'latin1', q: '1' },
    ],
    ['application/json;', 'application/json', {}],
    ['application/json;;a=1; ;', 'application/json', { a: '1' }],
    [
      'application/vnd.api+json;ext="https://a.example/x https://b.example/y"',
      'application/vnd.api+json',
      {
        ext: 'https://a.example/x https://b.example/y',
      },
    ],
    ['a/b;c="\\"q\\\\uoted; d=e,"', 'a/b', { c: '"q\\uoted; d=e,' }],
    ['a/b;c=""', 'a/b', { c: '' }],
    ["!#$%&'*+-.^_`|~9/x", "!#$%&'*+-.^_`|~9/x", {}],
  ])('N4: reads %j', (text, type, parameters) => {
    const found = parseMediaType(text)
    expect(found?.type).toBe(type)
    expect(Object.fromEntries(found?.parameters ?? [])).toEqual(parameters)
  })

  it.each([
    '',
    'application',
    'application/',
    '/json',
    'application/json\tfoo',
    'application/json\t',
    ' application/json',
    'application/json foo',
    'application/json, text/html',
    'application /json',
    'application/ json',
    'application/json/xml',
    'application/json; charset',
    'application/json; charset=',
    'application/json; charset =utf-8',
    'application/json; charset= utf-8',
    'application/json; =utf-8',
    'application/json; charset="utf-8',
    'application/json; charset="utf-8"x',
    'application/json; charset=utf-8 x',
    'application/json; charset="a\nb"',
    'application/json\r\nx: y',
    'applicätion/json',
    'application/json;charset=utf-8;charset=latin1',
    'application/json;charset=utf-8;CHARSET=utf-8',
  ])('N4: does not take %j for a media type', (text) => {
    expect(parseMediaType(text)).toBeUndefined()
  })

  it('keeps parameters of any name as data', () => {
    const found = parseMediaType('a/b;__proto__=x;constructor=y')
    expect(found?.parameters.get('__proto__')).toBe('x')
    expect(found?.parameters.get('constructor')).toBe('y')
  })

  it('reads back every quoted value', () => {
    const unit = fc.constantFrom('"', '\\', ';', ',', ' ', '\t', 'a', '=', 'ÿ')
    fc.assert(
      fc.property(fc.string({ unit }), (value) => {
        const quoted = value.replace(/["\\]/g, '\\$&')
        expect(parseMediaType(`a/b;c="${quoted}"`)?.parameters.get('c')).toBe(value)
      }),
    )
  })

  it('reads hostile texts', () => {
    for (const piece of ['a', '/', ';', ' ;', ';a=', ';a="\\"', '"', '\\', ' ', '\t;a']) {
      expect(parseMediaType(`a/b${piece.repeat(65536 / piece.length)}\n`)).toBeUndefined()
    }
  })
})
