import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { JoinedChunks } from './joined-chunks.ts'

it('Chunks of any sizes are joined in their order', () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 3 }),
    fc.integer({ min: 900, max: 17_000 }).map((length) => new Uint8Array(length).fill(length)),
  )
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 40 }), (chunks) => {
      const joined = new JoinedChunks()
      for (const each of chunks) joined.add(each)
      expect(Buffer.from(joined.whole()).equals(Buffer.concat(chunks))).toBe(true)
      expect(joined.size).toBe(Buffer.concat(chunks).length)
    }),
  )
})

it('A body of one chunk is that chunk', () => {
  const chunk = new Uint8Array([1, 2])
  const joined = new JoinedChunks()
  joined.add(chunk)
  expect(joined.whole()).toBe(chunk)
})

it('A megabyte in chunks of one byte takes a few megabytes', () => {
  const joined = new JoinedChunks()
  const usedBefore = process.memoryUsage()
  for (let index = 0; index < 1_048_576; index++) joined.add(Buffer.from([index]))
  const used = process.memoryUsage()
  const grown = used.heapUsed + used.external - usedBefore.heapUsed - usedBefore.external
  expect(joined.size).toBe(1_048_576)
  expect(grown).toBeLessThan(64 * 1_048_576)
})
