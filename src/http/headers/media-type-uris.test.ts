import { describe, expect, it } from 'vitest'
import {
  isOfMediaType,
  requestedProfiles,
  withExtensions,
  withProfiles,
} from './media-type-uris.ts'

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
    expect(requestedProfiles(header, type, [])).toEqual(profiles)
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
    expect(requestedProfiles(header, type, ['known'])).toBeUndefined()
  })

  it.each([
    [type],
    [`${type};ext="known"`],
    [`${type};ext="x", ${type}`],
    ['application/*'],
    ['*/*;q=0.1'],
  ])('do not keep back documents in an extension: %s', (header) => {
    expect(requestedProfiles(header, withExtensions(type, ['known']), ['known'])).toEqual([])
  })
})

describe('the type of a body', () => {
  const known = withExtensions(type, ['known'])

  it.each([[type], [`${type};profile="anything"`], [`${type}; ext=""`]])(
    'is read: %s',
    (header) => {
      expect(isOfMediaType(header, type, [])).toBe(true)
    },
  )

  it.each([
    [known],
    [`${type}; ext="known"`],
    [`${type}; ext=known`],
    [`${type}; ext=" known ";profile="anything"`],
  ])('is read where documents are written in an extension: %s', (header) => {
    expect(isOfMediaType(header, known, ['known'])).toBe(true)
  })

  it.each([
    [undefined],
    ['application/json'],
    [`${type}; charset=utf-8`],
    [`${type}; ext="known x"`],
    [`${type}; =`],
  ])('is not read: %s', (header) => {
    expect(isOfMediaType(header, type, [])).toBe(false)
    expect(isOfMediaType(header, known, ['known'])).toBe(false)
  })

  it('is not read without the extension that documents are written in, nor with one where they are in none', () => {
    expect(isOfMediaType(type, known, ['known'])).toBe(false)
    expect(isOfMediaType(`${type};profile="anything"`, known, ['known'])).toBe(false)
    expect(isOfMediaType(known, type, [])).toBe(false)
  })
})

it('names applied profiles in one quoted string', () => {
  expect(withProfiles(type, [])).toBe(type)
  expect(withProfiles(type, ['a', 'b'])).toBe(`${type};profile="a b"`)
  expect(withExtensions(type, ['a', 'b'])).toBe(`${type};ext="a b"`)
})
