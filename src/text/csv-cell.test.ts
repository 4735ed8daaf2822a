import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvCell, csvText } from './csv-cell.ts'

const csvRow = (values: readonly unknown[]) => values.map((value) => csvCell(value)).join(',')

describe('A row of comma-separated values', () => {
  it.each<[string, readonly unknown[], string]>([
    ['texts, numbers and booleans', ['Dune', -9.5, true], 'Dune,-9.5,true'],
    ['decimals as they are', ['-12.50', '+1'], '-12.50,+1'],
    ['null and what is absent', [null, undefined, 'x'], ',,x'],
    ['an empty text, which is not absent', [''], '""'],
    ['quotes, commas and line breaks', ['a "b"', 'c,d', 'e\r\nf'], '"a ""b""","c,d","e\r\nf"'],
    ['spaces at the ends', [' a', 'b '], '" a","b "'],
    ['lists and objects as JSON', [['a'], { b: 1 }], '"[""a""]","{""b"":1}"'],
  ])('has %s', (_, values, row) => {
    expect(csvRow(values)).toBe(row)
  })

  it.each(['=1+1', '+1+1', '-1a', '-1\n', '@SUM(A1)', '\tx', "'=1", "'-1"])(
    'has no text that a spreadsheet runs as a formula: %j',
    (text) => {
      expect(csvRow([text]).replace(/^"/, '')).toMatch(/^'/)
    },
  )

  it.each(['-rxn_NyVn3', '@you'])('has the identifier %j as it is', (id) => {
    expect(csvCell(id, 'identifier')).toBe(id)
  })

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
