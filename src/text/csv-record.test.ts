import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvCell, csvText } from './csv-cell.ts'
import { readCsvRecord } from './csv-record.ts'

it('reads the cells that lists have, whatever their texts are', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(null, '', '"', ',', "'=", '\r\n'),
  )
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (values) => {
      const record = readCsvRecord(values.map((value) => csvCell(value)).join(','), 5)
      const cells = record.kind === 'cells' ? record.cells : []
      const read = cells.map(({ text, isQuoted }) => (text || isQuoted ? csvText(text) : null))
      expect(read).toEqual(values)
    }),
  )
})

it.each([
  ['a,"b', 'Cell 2 begins with a quote, and no quote ends it.'],
  ['"a"b,c', 'Cell 1 has text after the quote that ends it.'],
  ['a,b"c"', 'Cell 2 has a quote, but does not begin with one. Quote the whole cell.'],
])('says what is wrong with %s', (record, reason) => {
  expect(readCsvRecord(record, 5)).toEqual({ kind: 'malformed', reason })
})

it('reads no cells after the last one that is wanted', () => {
  const record = readCsvRecord('a,b,"c', 2)
  expect(record.kind === 'cells' && record.cells.map(({ text }) => text)).toEqual(['a', 'b'])
})
