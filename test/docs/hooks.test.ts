import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { hooksDocument } from '../../scripts/hooks-document.mjs'
import { operations } from '../../src/rule/operations.ts'

it('docs/hooks.md shows the table that the service uses', () => {
  expect(readFileSync(new URL('../../docs/hooks.md', import.meta.url), 'utf8')).toBe(
    hooksDocument(operations),
  )
})
