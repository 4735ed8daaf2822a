import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parsePrefer } from './prefer.ts'

it.each([
  ['handling=strict', [['handling', ['strict']]]],
  [
    'Handling="Strict"; x=1 , respond-async',
    [
      ['handling', ['strict']],
      ['respond-async', ['']],
    ],
  ],
  ['tx=rollback, tx=commit', [['tx', ['rollback', 'commit']]]],
  ['note="a, tx=rollback"', [['note', ['a, tx=rollback']]]],
  [' , =, a b, ;', []],
])('reads %s', (header, preferences) => {
  expect([...parsePrefer(header)]).toEqual(preferences)
})

it('never throws', () => {
  fc.assert(fc.property(fc.string(), (header) => void parsePrefer(header)))
})
