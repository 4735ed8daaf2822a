import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvRow, csvText } from './csv-row.ts'

describe('A row of comma-separated values', () => {
  it.each<[string, readonly unknown[], string]>([
    ['texts, numbers and booleans', ['Dune', -9.5, true], 'Dune,-9.5,true'],
    ['null and what is absent', [null, undefined, 'x'], ',,x'],
    ['an empty text, which is not absent', [''], '""'],
    ['quotes, commas and line breaks', ['a "b"', 'c,d', 'e\r\nf'], '"a ""b""","c,d","e\r\nf"'],
    ['spaces at the ends', [' a', 'b '], '" a","b "'],
    ['lists and objects as JSON', [['a'], { b: 1 }], '"[""a""]","{""b"":1}"'],
  ])('has %s', (_, values, row) => {
    expect(csvRow(values)).toBe(row)
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', "'=1"])(
    'has no text that a spreadsheet runs as a formula: %j',
    (text) => {
      expect(csvRow([text]).replace(/^"/, '')).toMatch(/^'/)
    },
  )

  it('has the text of each cell again', () => {
    const text = fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', 'a') })
    fc.assert(
      fc.property(text, (value) => {
        const cell = csvRow([value])
        const unquoted = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
        expect(csvText(unquoted)).toBe(value)
      }),
    )
  })
})
