import { describe, expect, it } from 'vitest'
import type { RequestHeaders } from '../api-request.ts'
import {
  type CurrentState,
  isNotModified,
  isPreconditionMet,
  parseWritePrecondition,
} from './precondition.ts'

const missing: CurrentState = { exists: false, matches: () => false }

function at(...tags: string[]): CurrentState {
  return {
    exists: true,
    matches: ({ isWeak, value }) => tags.includes(`${isWeak ? 'W/' : ''}"${value}"`),
  }
}

function mayWrite(headers: RequestHeaders, current: CurrentState): boolean {
  return isPreconditionMet(parseWritePrecondition(headers), current)
}

describe('notModified', () => {
  it.each(['"v1"', 'W/"v1"', '"x", "v1"', '*', '"old", W/"v1"'])(
    'C2, C3: If-None-Match %s finds "v1"',
    (header) => {
      expect(isNotModified({ 'if-none-match': header }, '"v1"')).toBe(true)
      expect(isNotModified({ 'if-none-match': header }, 'W/"v1"')).toBe(true)
    },
  )

  it.each(['v1', '"v1', '', 'w/"v1"', '"V1"', '"old"', '"v1"x'])(
    'C4: If-None-Match %j is no match',
    (header) => {
      expect(isNotModified({ 'if-none-match': header }, '"v1"')).toBe(false)
    },
  )

  it('C5: a comma inside a tag does not split it', () => {
    expect(isNotModified({ 'if-none-match': '"x", "a,b"' }, '"a,b"')).toBe(true)
    expect(isNotModified({ 'if-none-match': '"a", "b"' }, '"a,b"')).toBe(false)
  })

  it('C7: If-Modified-Since plays no part', () => {
    const later = 'Fri, 01 Jan 2100 00:00:00 GMT'
    expect(isNotModified({ 'if-none-match': '"old"', 'if-modified-since': later }, '"v1"')).toBe(
      false,
    )
    expect(isNotModified({ 'if-modified-since': later }, '"v1"')).toBe(false)
  })

  it('is false without the header, and matches only a star without a tag', () => {
    expect(isNotModified({}, '"v1"')).toBe(false)
    expect(isNotModified({}, undefined)).toBe(false)
    expect(isNotModified({ 'if-none-match': '""' }, undefined)).toBe(false)
    expect(isNotModified({ 'if-none-match': '*' }, undefined)).toBe(true)
  })
})

describe('writePrecondition', () => {
  it('says which headers are there', () => {
    expect(parseWritePrecondition({})).toEqual({ kind: 'none' })
    expect(parseWritePrecondition({ 'if-match': '*' })).toEqual({ kind: 'ifMatch', tags: 'any' })
    expect(parseWritePrecondition({ 'if-none-match': '"a"' })).toEqual({
      kind: 'ifNoneMatch',
      tags: [{ isWeak: false, value: 'a' }],
    })
    expect(parseWritePrecondition({ 'if-match': '"a"', 'if-none-match': '*' })).toEqual({
      kind: 'both',
      ifMatch: [{ isWeak: false, value: 'a' }],
      ifNoneMatch: 'any',
    })
  })

  it('C15: does not read If-Unmodified-Since', () => {
    expect(
      parseWritePrecondition({ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
    ).toEqual({ kind: 'none' })
  })
})

describe('holds', () => {
  it('always does without a precondition', () => {
    expect(mayWrite({}, missing)).toBe(true)
    expect(mayWrite({}, at('"v1"'))).toBe(true)
  })

  it('C8: If-Match with the current tag lets the write happen', () => {
    expect(mayWrite({ 'if-match': '"v1"' }, at('"v1"'))).toBe(true)
    expect(mayWrite({ 'if-match': '"old", "v1"' }, at('"v1"'))).toBe(true)
  })

  it('C9: If-Match with an old or a weak tag does not', () => {
    expect(mayWrite({ 'if-match': '"old"' }, at('"v1"'))).toBe(false)
    expect(mayWrite({ 'if-match': 'W/"v1"' }, at('"v1"'))).toBe(false)
    expect(mayWrite({ 'if-match': 'W/"v1"' }, at('W/"v1"'))).toBe(false)
  })

  it('does not take a current weak tag for a strong one', () => {
    expect(mayWrite({ 'if-match': '"v1"' }, at('W/"v1"'))).toBe(false)
  })

  it('accepts the tag of any representation of the current version', () => {
    expect(mayWrite({ 'if-match': '"v1-gzip"' }, at('"v1"', '"v1-gzip"'))).toBe(true)
  })

  it('C10: If-Match * asks that there is an item', () => {
    expect(mayWrite({ 'if-match': '*' }, at('"v1"'))).toBe(true)
    expect(mayWrite({ 'if-match': '*' }, missing)).toBe(false)
    expect(mayWrite({ 'if-match': '"v1"' }, { exists: false, matches: () => true })).toBe(false)
  })

  it.each(['', 'v1', '"v1', '*, *'])(
    'an If-Match that names nothing, %j, never holds',
    (header) => {
      expect(mayWrite({ 'if-match': header }, at('"v1"'))).toBe(false)
      expect(mayWrite({ 'if-match': header }, missing)).toBe(false)
    },
  )

  it('C12: If-None-Match * asks that there is no item', () => {
    expect(mayWrite({ 'if-none-match': '*' }, at('"v1"'))).toBe(false)
    expect(mayWrite({ 'if-none-match': '*' }, missing)).toBe(true)
  })

  it.each([
    ['"v1"', '"v1"', false],
    ['W/"v1"', '"v1"', false],
    ['"v1"', 'W/"v1"', false],
    ['W/"v1"', 'W/"v1"', false],
    ['"old"', '"v1"', true],
    ['v1', '"v1"', true],
  ])('If-None-Match %s compares weakly with %s', (header, current, expected) => {
    expect(mayWrite({ 'if-none-match': header }, at(current))).toBe(expected)
    expect(mayWrite({ 'if-none-match': header }, missing)).toBe(true)
  })

  it('C14: both headers must agree to the write', () => {
    expect(mayWrite({ 'if-match': '"v1"', 'if-none-match': '"v1"' }, at('"v1"'))).toBe(false)
    expect(mayWrite({ 'if-match': '"v1"', 'if-none-match': '"old"' }, at('"v1"'))).toBe(true)
    expect(mayWrite({ 'if-match': '"old"', 'if-none-match': '"x"' }, at('"v1"'))).toBe(false)
  })

  it('C14: If-Match is asked first, and alone when it fails', () => {
    const asked: string[] = []
    const current: CurrentState = { exists: true, matches: (tag) => asked.push(tag.value) < 0 }
    expect(mayWrite({ 'if-match': '"first"', 'if-none-match': '"second"' }, current)).toBe(false)
    expect(asked).toEqual(['first'])
  })
})
