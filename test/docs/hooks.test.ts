import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { guideWithHooks, hooksDocument } from '../../scripts/hooks-document.mjs'
import { operations, outcomeHooks } from '../../src/rule/operations.ts'

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8')

it('docs/hooks.md shows the table that the service uses', () => {
  expect(read('hooks.md')).toBe(hooksDocument(operations))
})

it('the guide shows the hooks of each request that the service runs', () => {
  const page = read('guide/middleware-and-hooks.md')
  expect(guideWithHooks(page, operations, outcomeHooks)).toBe(page)
})
