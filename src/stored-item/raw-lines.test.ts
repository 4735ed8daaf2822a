import { expect, test } from 'vitest'
import { mapLines, rawItemOfLine } from './raw-lines.ts'

const hash = 'h'.repeat(43)

test.each([
  ['a text that ends with a hash', `{"id":"a","title":"Dune","hash":"${hash}"}`, hash],
  ['letters outside of ASCII', `{"id":"ä","title":"Émile","hash":"${hash}"}`, hash],
  ['no hash', '{"id":"a","title":"Dune"}', undefined],
  ['a text shorter than a hash', '{"id":"a"}', undefined],
  [
    'a shorter hash',
    '{"id":"a","title":"a long enough title of an item","hash":"short"}',
    undefined,
  ],
])('the version of a line is that of its item: %s', (_, text, version) => {
  for (const lines of [`${text}12`, `{"id":"b"}3\n${text}12`]) {
    const mapped = mapLines(Buffer.from(lines), (lineVersion, line) => ({
      lineVersion,
      item: rawItemOfLine(line),
    }))
    expect(mapped).toHaveLength(lines.split('\n').length)
    const { lineVersion, item } = mapped.at(-1)!
    expect([lineVersion, item.text, item.relationsOffset]).toEqual([version, text, 12])
    expect(item.hash).toBe(version ?? null)
  }
})

test('no lines are mapped to nothing', () => {
  expect(mapLines(Buffer.alloc(0), () => 1)).toEqual([])
})
