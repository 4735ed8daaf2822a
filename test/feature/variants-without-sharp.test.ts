import { createRouter, image, list, model, RegistrationError, struct } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { expect, it, vi } from 'vitest'

vi.mock('../../src/operation/resource/sharp.ts', async (original) => ({
  ...(await original<object>()),
  isSharpInstalled: () => false,
}))

it('images with variants are refused at registration where sharp is not installed, and others are not', () => {
  const variants = { formats: ['png'], sizes: [64] } as const
  const rulesOf = (fields: Parameters<typeof model>[1]) => {
    const router = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
    router.prepare(model('book', fields))
    return router.rules
  }
  for (const fields of [
    { cover: image({ variants }) },
    { cover: list(struct({ scan: image({ variants }) })) },
  ]) {
    expect(() => rulesOf(fields)).toThrow(RegistrationError)
    expect(() => rulesOf(fields)).toThrow(/'cover'.*'book'.*'sharp'/)
  }
  expect(rulesOf({ cover: image() })).toHaveLength(10)
})

it('images with maxPixels are refused at registration where sharp is not installed', () => {
  const routerOf = (options?: Parameters<typeof image>[0]) => {
    const router = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
    router.prepare(model('book', { cover: image(options) }))
    return router
  }
  expect(() => routerOf({ maxPixels: 1_000_000 }).rules).toThrow(
    /'cover'.*'book'.*maxPixels.*'sharp'/,
  )
  expect(routerOf().rules).toHaveLength(10)
})
