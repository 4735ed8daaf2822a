import { expect, test } from 'vitest'
import { TextPieces } from './text-pieces.ts'

const long = 'ü'.repeat(40_000)

test('a short text is not encoded', () => {
  const pieces = new TextPieces('[')
  pieces.add('1')
  pieces.add(']')
  expect(pieces.length).toBe(3)
  expect(pieces.take()).toEqual(['[1]'])
})

test('a long text is encoded while it grows, between the added bytes', () => {
  const pieces = new TextPieces('a')
  pieces.add(Buffer.from('b'))
  pieces.add('c')
  pieces.add(long)
  pieces.add('d')
  const taken = pieces.take()
  expect(taken).toHaveLength(4)
  expect(taken.every((piece) => piece instanceof Uint8Array)).toBe(true)
  expect(Buffer.concat(taken as Uint8Array[]).toString()).toBe(`abc${long}d`)
})

test('take starts again', () => {
  const pieces = new TextPieces(long)
  pieces.add(long)
  expect(pieces.take()).toHaveLength(1)
  expect(pieces.take()).toEqual([''])
})
