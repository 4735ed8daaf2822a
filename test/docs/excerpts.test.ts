import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pagesIn, root } from '../support/documentation.ts'

/** A block of a page that names the file whose code it shows. */
const excerptPattern = /^```ts (examples\/\S+)\n([\s\S]*?)^```$/gm

const excerpts = pagesIn('docs/guide').flatMap(({ path, text }) =>
  Array.from(text.matchAll(excerptPattern), ([, file = '', code = '']) => ({ path, file, code })),
)

describe('Code of the guide that names its file', () => {
  it.each(excerpts)('is part of it: $file in $path', ({ file, code }) => {
    const text = withoutIndent(readFileSync(join(root, file), 'utf8'))
    expect(text).toContain(withoutIndent(code))
  })

  it('is shown at all', () => {
    expect(excerpts.length).toBeGreaterThan(5)
  })
})

/** Excerpts stand further to the left than in their file. */
function withoutIndent(code: string): string {
  return code.trim().replaceAll(/^ +/gm, '')
}

it('The conference has fewer than 400 lines without its tests', () => {
  const folder = join(root, 'examples/conference')
  const files = readdirSync(folder).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const lines = files.map((name) => readFileSync(join(folder, name), 'utf8').split('\n').length - 1)
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThan(400)
})
