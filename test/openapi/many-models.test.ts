import { jsonApi } from 'resourcery/json-api'
import type { OpenApiDocument } from 'resourcery/openapi'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { manyModels, routerOver } from '../../bench/many-models.mjs'

const policies = [
  { name: 'REST', policy: rest(), bytes: 2_300 },
  // With every form of operation in a batch.
  { name: 'JSON:API', policy: jsonApi(), bytes: 2_500 },
]

describe.each(policies)('The document of many models under $name', ({ policy, bytes }) => {
  const documentOver = (count: number) => routerOver(manyModels(count), policy).toOpenApi()
  const [fifty, hundred] = [documentOver(50), documentOver(100)]

  it('grows linearly with the models: in size, in operations and in components', () => {
    for (const extent of [sizeOf, operationsIn, componentsIn]) {
      const growth = extent(hundred) / extent(fifty)
      expect(growth, extent.name).toBeGreaterThan(1.5)
      expect(growth, extent.name).toBeLessThan(2.05)
    }
  })

  it(`takes less than ${bytes} bytes for each operation with its schemas`, () => {
    expect(sizeOf(hundred) / operationsIn(hundred)).toBeLessThan(bytes)
  })
})

describe('The document of a hundred models with relations and filters', () => {
  it('is smaller than 2 MB', () => {
    expect(sizeOf(routerOver(manyModels(100, 'plain'), rest()).toOpenApi())).toBeLessThan(2_000_000)
  })
})

function sizeOf(document: OpenApiDocument): number {
  return Buffer.byteLength(JSON.stringify(document))
}

function operationsIn({ paths }: OpenApiDocument): number {
  return Object.values(paths).reduce((count, item) => count + Object.keys(item).length - 1, 0)
}

function componentsIn({ components }: OpenApiDocument): number {
  return Object.keys(components.schemas ?? {}).length
}
