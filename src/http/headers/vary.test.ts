import { expect, it } from 'vitest'
import { withAccept } from './vary.ts'

it.each([
  [undefined, 'Accept'],
  ['', 'Accept'],
  ['accept', 'accept'],
  ['*', '*'],
  ['Origin', 'Accept, Origin'],
  ['Origin, Accept', 'Origin, Accept'],
  ['Accept-Encoding', 'Accept, Accept-Encoding'],
])('Vary: %s becomes %s', (given, sent) => {
  expect(withAccept(given)).toBe(sent)
})
