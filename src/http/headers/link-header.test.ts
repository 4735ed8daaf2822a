import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatQuery } from '../query-string.ts'
import { formatLinkHeader } from './link-header.ts'

/** Every UTF-16 unit, halves of surrogate pairs among them. */
const codeUnit = fc.nat(0xffff).map((code) => String.fromCharCode(code))

describe('linkHeader', () => {
  it('writes targets and relations in the order given', () => {
    expect(
      formatLinkHeader([
        { href: '/books?page=1', rel: 'first' },
        { href: 'https://api.example/books?sort=-price,title', rel: 'next' },
      ]),
    ).toBe(
      '</books?page=1>; rel="first", <https://api.example/books?sort=-price,title>; rel="next"',
    )
  })

  it('is empty without links', () => {
    expect(formatLinkHeader([])).toBe('')
  })

  it('leaves what is encoded as it is', () => {
    const href = `/books?${formatQuery([['page[after]', 'a b/日%']])}`
    expect(formatLinkHeader([{ href, rel: 'next' }])).toBe(
      '</books?page%5Bafter%5D=a%20b%2F%E6%97%A5%25>; rel="next"',
    )
  })

  it('encodes what could end the target, the relation or the line', () => {
    expect(
      formatLinkHeader([{ href: '/a>; rel="x"\r\n\0日\ud800 %zz%41', rel: 'a"b\\c\r\nd e' }]),
    ).toBe('</a%3E;%20rel=%22x%22%0D%0A%00%E6%97%A5%EF%BF%BD%20%25zz%41>; rel="a%22b%5Cc%0D%0Ad e"')
  })

  it('makes one well-formed link of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: codeUnit }), fc.string({ unit: codeUnit }), (href, rel) => {
        expect(formatLinkHeader([{ href, rel }])).toMatch(
          /^<[\x21-\x3b\x3d\x3f-\x7e]*>; rel="[\x20\x21\x23-\x7e]*"$/,
        )
      }),
    )
  })
})
