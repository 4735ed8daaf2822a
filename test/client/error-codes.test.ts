import { readFileSync } from 'node:fs'
import type { ErrorCode } from 'resourcery/client'
import { expect, test } from 'vitest'
import { errorCatalog } from '../../src/error/catalog.ts'

test('the client knows the codes of the catalog', () => {
  const text = readFileSync(new URL('../../src/client/error-code.ts', import.meta.url), 'utf8')
  const codes = [...text.matchAll(/'([\w-]+)'/g)].map(([, code]) => code as ErrorCode)
  expect(codes).toEqual(Object.keys(errorCatalog))
})
