import { expect, it } from 'vitest'
import { ReadPositions } from './read-positions.ts'

it('goes on where this process has read, until another one has stored a position', () => {
  const positions = new ReadPositions()
  expect(positions.after('w', 'book', 'stored')).toBe('stored')
  positions.set('w', 'book', 'stored', 'read')
  expect(positions.after('w', 'book', 'stored')).toBe('read')
  expect(positions.after('w', 'book', 'of another process')).toBe('of another process')
  expect(positions.after('w', 'author', undefined)).toBeUndefined()
  expect(positions.after('other', 'book', 'stored')).toBe('stored')
})
