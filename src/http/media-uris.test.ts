import { describe, expect, it } from 'vitest'
import { askedProfiles, isMediaType, withProfiles } from './media-uris.ts'

const type = 'application/vnd.api+json'

describe('the profiles that Accept asks for', () => {
  it.each([
    [undefined, []],
    ['*/*', []],
    ['application/*', []],
    [type, []],
    ['APPLICATION/VND.API+JSON', []],
    [`${type}; foo=1, ${type}`, []],
    [`${type}; ext=""`, []],
    [`${type}; profile="a b"`, ['a', 'b']],
    [`${type}; profile=a`, ['a']],
    [`${type} ; profile="a";q=0.5, ${type}`, []],
    [`${type}; ext="x"; q=0.9, ${type}; q=0.1; profile="a"`, ['a']],
  ])('%s', (header, profiles) => {
    expect(askedProfiles(header, type, [])).toEqual(profiles)
  })

  it.each([
    [`${type}; foo=1`],
    [`${type};foo=1, text/html`],
    [`${type};charset=utf-8, */*`],
    [`${type}; ext="x"`],
    [`${type}; ext="known x"`],
    [`${type}; q=0`],
    ['text/html'],
  ])('are none that can be sent: %s', (header) => {
    expect(askedProfiles(header, type, ['known'])).toBeUndefined()
  })
})

describe('the type of a body', () => {
  it.each([[type], [`${type};profile="anything"`], [`${type}; ext="known"`], [`${type}; ext=known`]])(
    'is read: %s',
    (header) => {
      expect(isMediaType(header, type, ['known'])).toBe(true)
    },
  )

  it.each([[undefined], ['application/json'], [`${type}; charset=utf-8`], [`${type}; ext="known x"`], [`${type}; =`]])(
    'is not read: %s',
    (header) => {
      expect(isMediaType(header, type, ['known'])).toBe(false)
    },
  )
})

it('names applied profiles in one quoted string', () => {
  expect(withProfiles(type, [])).toBe(type)
  expect(withProfiles(type, ['a', 'b'])).toBe(`${type};profile="a b"`)
})
