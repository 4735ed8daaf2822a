import { expect, it } from 'vitest'
import { longTextCharacters } from './chunk.ts'
import { framedChunk, sharedChunk } from './shared-chunk.ts'

it('has its bytes, and the same as one chunk of HTTP/1.1', () => {
  const chunk = sharedChunk('data: "Čapek"\n\n')
  expect(Buffer.from(chunk as Uint8Array).toString()).toBe('data: "Čapek"\n\n')
  expect(Buffer.from(framedChunk(chunk)!).toString()).toBe('10\r\ndata: "Čapek"\n\n\r\n')
})

it('leaves long texts as they are, and empty ones, which would end the response', () => {
  for (const text of ['', 'x'.repeat(longTextCharacters)]) {
    expect(sharedChunk(text)).toBe(text)
    expect(framedChunk(sharedChunk(text))).toBeUndefined()
  }
})

it('knows no other bytes', () => {
  expect(framedChunk(Buffer.from('abc'))).toBeUndefined()
})
