import { expect, test } from 'vitest'
import { rawItemOfLine, splitLines, versionOfLine } from './raw-lines.ts'

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
  const line = Buffer.from(`${text}12`)
  expect(versionOfLine(line)).toBe(version)
  const item = rawItemOfLine(line)
  expect([item.text, item.relationsOffset]).toEqual([text, 12])
  expect(item.hash).toBe(version ?? null)
})

test('lines are split where line feeds stand', () => {
  expect([...splitLines(Buffer.from('a\nb'))].map(String)).toEqual(['a', 'b'])
  expect([...splitLines(Buffer.alloc(0))]).toEqual([])
})
