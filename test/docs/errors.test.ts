import { readFileSync } from 'node:fs'
import { errorCatalog } from 'resourcery'
import { expect, it } from 'vitest'
import { errorsDocument } from '../../scripts/errors-document.mjs'
import { implementations } from '../../src/pipeline/implementations.ts'

it('docs/errors.md lists the catalog and the errors of operations as they are', () => {
  expect(readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')).toBe(
    errorsDocument(errorCatalog, implementations),
  )
})

it('every title is a short phrase without a full stop, and every status is an error status', () => {
  for (const { status, title } of Object.values(errorCatalog)) {
    expect(title).toMatch(/^[A-Z].*[^.]$/)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(600)
  }
})
