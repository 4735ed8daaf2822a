import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatContentRange, isIfRangeMet, parseRange } from './range.ts'

const length = (header: string, size: number) => {
  const range = parseRange(header, size)
  return range.kind === 'partial' ? range.end - range.start + 1 : range.kind
}

describe('parseRange', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=900-', 900, 999],
    ['bytes=-100', 900, 999],
    ['bytes=990-5000', 990, 999],
    ['bytes=-5000', 0, 999],
    ['bytes=0-', 0, 999],
    ['BYTES=5-6', 5, 6],
    ['bytes= 5-6 ,', 5, 6],
    [`bytes=0-${'9'.repeat(500)}`, 0, 999],
    [`bytes=-${'9'.repeat(500)}`, 0, 999],
  ])('R2: %s of 1000 bytes is %d to %d', (header, start, end) => {
    const range = parseRange(header, 1000)
    expect(range).toEqual({ kind: 'partial', start, end })
    expect(formatContentRange(range, 1000)).toBe(`bytes ${start}-${end}/1000`)
  })

  it('R2: the lengths are right', () => {
    const headers = ['bytes=0-0', 'bytes=0-99', 'bytes=900-', 'bytes=-100', 'bytes=990-5000']
    expect(headers.map((header) => length(header, 1000))).toEqual([1, 100, 100, 100, 10])
  })

  it.each(['bytes=1000-', 'bytes=-0', 'bytes=1000-2000', `bytes=${'9'.repeat(500)}-`])(
    'R3: %s of 1000 bytes cannot be satisfied',
    (header) => {
      const range = parseRange(header, 1000)
      expect(range).toEqual({ kind: 'unsatisfiable' })
      expect(formatContentRange(range, 1000)).toBe('bytes */1000')
    },
  )

  it.each([
    undefined,
    '',
    'bytes=5-2',
    'bytes=2000-1500',
    'bytes=',
    'bytes=-',
    'bytes',
    'items=0-1',
    'garbage',
    'bytes=a-b',
    'bytes=0 - 1',
    'bytes=0-1x',
    'bytes=+0-1',
    'bytes=0x0-1',
    'bytes=--1',
    'bytes =0-1',
    'bytes=1.5-2',
    'bytes=٣-٤',
  ])('R4: %s is ignored', (header) => {
    expect(parseRange(header, 1000)).toEqual({ kind: 'whole' })
    expect(formatContentRange({ kind: 'whole' }, 1000)).toBeUndefined()
  })

  it.each(['bytes=0-1,5-6', 'bytes=0-1, -5', 'bytes=1000-,0-0', `bytes=${'0-,'.repeat(20000)}0-`])(
    'R5: several ranges get the whole',
    (header) => {
      expect(parseRange(header, 1000)).toEqual({ kind: 'whole' })
    },
  )

  it.each(['bytes=0-', 'bytes=0-0', 'bytes=-1', 'bytes=-0'])(
    'R9: %s of nothing is the whole',
    (header) => {
      expect(parseRange(header, 0)).toEqual({ kind: 'whole' })
    },
  )

  it('R11: the parts between any cut points make up the whole', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.array(fc.nat(199)),
        (bytes, cuts) => {
          const starts = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length)])].sort(
            (a, b) => a - b,
          )
          const parts = starts.map((start, index) => {
            const next = starts[index + 1]
            const range = parseRange(
              `bytes=${start}-${next === undefined ? '' : next - 1}`,
              bytes.length,
            )
            return range.kind === 'partial' ? [...bytes.slice(range.start, range.end + 1)] : []
          })
          expect(parts.flat()).toEqual([...bytes])
        },
      ),
    )
  })

  it('never leaves the representation', () => {
    const number = fc.oneof(fc.nat(20).map(String), fc.constant(''))
    fc.assert(
      fc.property(number, number, fc.nat(10), (first, last, size) => {
        const range = parseRange(`bytes=${first}-${last}`, size)
        if (range.kind === 'partial')
          expect(0 <= range.start && range.start <= range.end && range.end < size).toBe(true)
      }),
    )
  })

  it('reads hostile texts', () => {
    for (const piece of ['0', ' ', ',', '-', '0-']) {
      expect(parseRange(`bytes=${piece.repeat(65536)}x`, 1000)).toEqual({ kind: 'whole' })
    }
  })
})

describe('ifRangeHolds', () => {
  const date = 'Tue, 15 Nov 1994 12:45:26 GMT'

  it.each([
    [undefined, true],
    ['"c1"', true],
    ['"old"', false],
    ['W/"c1"', false],
    ['c1', false],
    ['*', false],
    [date, true],
    ['Tue, 15 Nov 1994 12:45:27 GMT', false],
  ])('R6: If-Range %s makes the range count: %s', (header, expected) => {
    expect(isIfRangeMet(header, '"c1"', date)).toBe(expected)
  })

  it('R6: a weak tag never guards a range, a date only with Last-Modified', () => {
    expect(isIfRangeMet('W/"c1"', 'W/"c1"')).toBe(false)
    expect(isIfRangeMet(date, '"c1"')).toBe(false)
  })
})
