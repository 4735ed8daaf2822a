import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvCell } from './csv-cell.ts'
import { type RecordFormat, RecordSplitter } from './record-splitter.ts'

/** The records of a text that arrives in chunks of so many bytes. */
function recordsOf(format: RecordFormat, text: string, size: number, maxBytes = 1_000) {
  const splitter = new RecordSplitter(format, maxBytes)
  const bytes = Buffer.from(text)
  const records = []
  for (let at = 0; at < bytes.length; at += size)
    records.push(...splitter.push(bytes.subarray(at, at + size)))
  return [...records, ...splitter.end()].map(({ line, bytes: own }) => [
    line,
    own && Buffer.from(own).toString(),
  ])
}

it('splits records of cells with line breaks, however the bytes arrive', () => {
  const cells = fc.array(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', 'ß') }), {
    minLength: 1,
    maxLength: 3,
  })
  const lineBreak = fc.constantFrom('\n', '\r\n')
  fc.assert(
    fc.property(fc.array(cells), lineBreak, fc.integer({ min: 1, max: 9 }), (rows, end, size) => {
      const records = rows.map((row) => row.map((value) => csvCell(value)).join(','))
      const split = recordsOf('csv', records.map((record) => record + end).join(''), size)
      expect(split.map(([, text]) => text)).toEqual(records)
      const lineOf = (index: number) =>
        records.slice(0, index).reduce((line, record) => line + record.split('\n').length, 1)
      expect(split.map(([line]) => line)).toEqual(records.map((_, index) => lineOf(index)))
    }),
  )
})

it('splits JSON at each line break, and leaves out empty lines', () => {
  for (const size of [1, 2, 100])
    expect(recordsOf('json', '{"a":"\\""}\r\n\n\r\n[1]\n2', size)).toEqual([
      [1, '{"a":"\\""}'],
      [4, '[1]'],
      [5, '2'],
    ])
})

it('holds no bytes of a record that is too long, and goes on after it', () => {
  for (const size of [1, 3, 100])
    expect(recordsOf('csv', `a\n${'b,"\n",'.repeat(20)}\nc\n"d`, size, 10)).toEqual([
      [1, 'a'],
      [2, undefined],
      [23, 'c'],
      [24, '"d'],
    ])
})

it('keeps no chunk in memory for small records', () => {
  const splitter = new RecordSplitter('json', 1_000)
  const [record] = splitter.push(new TextEncoder().encode(`${'\n'.repeat(65_536)}{}\n`))
  expect(record?.bytes?.buffer.byteLength).toBe(2)
})

it('joins a record that arrives in thousands of chunks', () => {
  const text = `"${'0123456789'.repeat(1_000)}"`
  expect(recordsOf('csv', `${text}\nb`, 3, 20_000)).toEqual([
    [1, text],
    [2, 'b'],
  ])
})
