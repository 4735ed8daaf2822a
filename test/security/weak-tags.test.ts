import { crc32 } from 'node:zlib'
import { createRouter, hash, model, type Router } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  codesOf,
  failOnFault,
  get,
  type Sending,
  send,
  shop,
  storeForTest,
  storeKinds,
  tagOf,
} from '../http/service.ts'

const length = 40

/**
 * Finds two names that give this document the same CRC32. It is linear: the effect of flipping a
 * bit does not depend on the rest of the text, so among more than 32 such changes some add up to
 * zero.
 */
function forgedPair(document: (name: string) => string): readonly [string, string] {
  const plain = 'a'.repeat(length)
  const base = crc32(document(plain))
  // 'a' and 'c' differ in one bit.
  const changes = Array.from(
    { length },
    (_, index) => crc32(document(withLetter(plain, index))) ^ base,
  )
  const pivots = new Map<number, { change: number; letters: bigint }>()
  for (const [at, one] of changes.entries()) {
    let change = one >>> 0
    let letters = 1n << BigInt(at)
    while (change !== 0) {
      const bit = 31 - Math.clz32(change)
      const pivot = pivots.get(bit)
      if (!pivot) {
        pivots.set(bit, { change, letters })
        break
      }
      change = (change ^ pivot.change) >>> 0
      letters ^= pivot.letters
    }
    if (change === 0) {
      const flipped = Array.from({ length }, (_, index) => ((letters >> BigInt(index)) & 1n) === 1n)
      return [plain, flipped.map((flip) => (flip ? 'c' : 'a')).join('')]
    }
  }
  throw new Error('More changes than bits, and none of them add up: this cannot be.')
}

function withLetter(text: string, index: number): string {
  return `${text.slice(0, index)}c${text.slice(index + 1)}`
}

const textOf = (name: string) => `{"id":"f1","name":"${name}"}`
const [first, second] = forgedPair(textOf)

async function publisher(kind: (typeof storeKinds)[number], name: string): Promise<Router> {
  const router = await shop(kind)
  await send(router, 'POST', '/api/publishers', { json: { publisher: { id: 'f1', name } } })
  return router
}

describe.each(storeKinds)('two documents with one CRC32, on the %s store', (kind) => {
  const target = '/api/publishers/f1'

  test('3.6: can be constructed, and have one weak ETag', async () => {
    expect(first).not.toBe(second)
    const [one, other] = [await publisher(kind, first), await publisher(kind, second)]
    expect(await tagOf(one, target)).toMatch(/^W\//)
    expect(await tagOf(one, target)).toBe(await tagOf(other, target))
  })

  test('3.6: cannot replace each other in a write: If-Match with their ETag is 412, weak or as if strong', async () => {
    const router = await publisher(kind, first)
    const tag = await tagOf(router, target)
    await send(router, 'PATCH', target, { json: { publisher: { name: second } } })
    expect(await tagOf(router, target)).toBe(tag)
    const before = (await get(router, target)).text
    for (const header of [tag, tag.slice(2), `"x", ${tag}, ${tag.slice(2)}`]) {
      const headers = { 'if-match': header }
      const writes: [string, Sending][] = [
        ['PATCH', { headers, json: { publisher: { country: 'FR' } } }],
        ['PUT', { headers, json: { publisher: { name: 'Lost' } } }],
        ['DELETE', { headers }],
      ]
      for (const [method, sending] of writes) {
        const response = await send(router, method, target, sending)
        expect([method, header, response.status, codesOf(response)]).toEqual([
          method,
          header,
          412,
          ['precondition-failed'],
        ])
      }
    }
    expect((await get(router, target)).text).toBe(before)
  })

  test('3.6: a weak ETag never writes, even the current one', async () => {
    const router = await shop(kind)
    for (const address of ['/api/publishers/p1', '/api/publishers/p1?fields[publishers]=name']) {
      const tag = await tagOf(router, address)
      for (const header of [tag, tag.slice(2)])
        expect(
          (await send(router, 'DELETE', '/api/publishers/p1', { headers: { 'if-match': header } }))
            .status,
        ).toBe(412)
    }
    const strong = await tagOf(router, '/api/books/b1')
    expect(
      (await send(router, 'DELETE', '/api/books/b1', { headers: { 'if-match': `W/${strong}` } }))
        .status,
    ).toBe(412)
  })

  test('3.6: have two ETags where the model has a hash, and each guards its own', async () => {
    class Sealed extends model('sealed', { name: z.string(), hash: hash() }) {}
    const router = createRouter({
      policy: rest(),
      store: await storeForTest(kind),
      onError: failOnFault,
    })
    router.prepare(Sealed)
    await router.load(Sealed, [
      { id: 'f1', name: first },
      { id: 'f2', name: first },
    ])
    const tag = await tagOf(router, '/sealeds/f1')
    const writeResponse = await send(router, 'PATCH', '/sealeds/f1', {
      json: { sealed: { name: second } },
    })
    expect(writeResponse.headers.get('etag')).not.toBe(tag)
    expect(writeResponse.headers.get('etag')).toMatch(/^"/)
    const stale = await send(router, 'PATCH', '/sealeds/f1', {
      json: { sealed: { name: 'x' } },
      headers: { 'if-match': tag },
    })
    expect(stale.status).toBe(412)
    const crc = `"${crc32(textOf(second)).toString(16)}"`
    const guessed = await send(router, 'PATCH', '/sealeds/f1', {
      json: { sealed: { name: 'x' } },
      headers: { 'if-match': crc },
    })
    expect(guessed.status).toBe(412)
    expect(await tagOf(router, '/sealeds/f2')).not.toBe(tag)
  })
})
