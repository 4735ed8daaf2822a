import { expect, test } from 'vitest'
import { documentCaches } from './document-caches.ts'

test('the caches of 128 variants hold at most the bytes of the router together', () => {
  const maxBytes = 1_000_000
  const newCaches = documentCaches(maxBytes)
  const variants = Array.from({ length: 128 }, newCaches)
  const bytes = new Uint8Array(1_000)
  for (let id = 0; id < 100; id++)
    for (const { serializedItems, itemDocuments } of variants) {
      serializedItems.set(`${id}`, bytes)
      itemDocuments.set(`${id}`, { version: 'v', bytes })
    }
  let heldBytes = 0
  for (const { serializedItems, itemDocuments } of variants)
    for (let id = 0; id < 100; id++)
      for (const entry of [serializedItems.get(`${id}`), itemDocuments.get(`${id}`)?.bytes])
        heldBytes += entry?.byteLength ?? 0
  expect(heldBytes).toBeLessThanOrEqual(maxBytes)
  expect(heldBytes).toBeGreaterThan(maxBytes / 4)
})
