import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EntityTag, parseEntityTags } from './entity-tag.ts'

const strong = (value: string) => ({ isWeak: false, value })
const weak = (value: string) => ({ isWeak: true, value })
const formatEntityTag = ({ isWeak, value }: EntityTag) => `${isWeak ? 'W/' : ''}"${value}"`

const anyTag = fc.record({
  isWeak: fc.boolean(),
  value: fc.string({
    unit: fc.constantFrom('!', '#', ',', '\\', '/', 'a', 'W', '~', '\x80', '\xff'),
  }),
})

describe('parseEntityTags', () => {
  it.each([
    ['"v1"', [strong('v1')]],
    ['W/"v1"', [weak('v1')]],
    ['"x", "v1"', [strong('x'), strong('v1')]],
    ['"x","v1"\t,W/"w"', [strong('x'), strong('v1'), weak('w')]],
    ['""', [strong('')]],
    ['  "v1"  ', [strong('v1')]],
    [', ,"v1",,', [strong('v1')]],
    ['"back\\slash"', [strong('back\\slash')]],
  ])('reads %j', (header, tags) => {
    expect(parseEntityTags(header)).toEqual(tags)
  })

  it('C2: reads a sole star as any tag', () => {
    expect(parseEntityTags('*')).toBe('any')
    expect(parseEntityTags(' * ')).toBe('any')
  })

  it('C3: reads lines joined with a comma as one list', () => {
    expect(parseEntityTags(['"old"', 'W/"v1"'].join(', '))).toEqual([strong('old'), weak('v1')])
  })

  it('C5: keeps a comma inside the quotes', () => {
    expect(parseEntityTags('"a,b"')).toEqual([strong('a,b')])
    expect(parseEntityTags('"a,b", W/",", "c"')).toEqual([strong('a,b'), weak(','), strong('c')])
  })

  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['an unquoted tag', 'v1'],
    ['an unterminated tag', '"v1'],
    ['a tag without its first quote', 'v1"'],
    ['a lower-case weakness', 'w/"v1"'],
    ['a space within', '"v 1"'],
    ['a tag with a tail', '"v1"x'],
    ['two tags without a comma', '"v1" "v2"'],
    ['a space after the weakness', 'W/ "v1"'],
    ['a control character', '"v\x001"'],
  ])('C4: finds no tag in %s', (_, header) => {
    expect(parseEntityTags(header)).toEqual([])
  })

  it('skips the malformed members of a list, a star among them', () => {
    expect(parseEntityTags('v0, "v1", *, W/v2, W/"v3"')).toEqual([strong('v1'), weak('v3')])
  })

  it('reads back every list of tags', () => {
    fc.assert(
      fc.property(fc.array(anyTag), fc.constantFrom(',', ', ', ' ,\t'), (tags, comma) => {
        expect(parseEntityTags(tags.map(formatEntityTag).join(comma))).toEqual(tags)
      }),
    )
  })

  it('reads every text, however hostile', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('"', ',', ' ', 'W', '/', '*', 'a', '\\', '\n') }),
        (header) => {
          const tags = parseEntityTags(header)
          expect(tags === 'any' || tags.every((tag) => !tag.value.includes('"'))).toBe(true)
        },
      ),
    )
    for (const piece of ['"', '",', '"a,', 'W/"', ' ', '"" ', '*,', 'W/', '"a"x,']) {
      expect(() => parseEntityTags(piece.repeat(65536 / piece.length))).not.toThrow()
    }
  })
})
