import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const folder = fileURLToPath(new URL('../../docs/adr', import.meta.url))
const decisions = readdirSync(folder)
  .toSorted()
  .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))

describe('the decisions in docs/adr', () => {
  it('are numbered in order, each number once and none left out', () => {
    const expected = decisions.map((_, index) => String(index + 1).padStart(4, '0'))
    expect(decisions.map(({ file }) => file.slice(0, 4))).toEqual(expected)
  })

  it.each(decisions)('$file has its number, a status and an outcome', ({ file, text }) => {
    expect(text).toMatch(new RegExp(`^# ${Number(file.slice(0, 4))}\\. \\S`))
    expect(text).toMatch(/^Status: (accepted|replaced|proposed|rejected)/m)
    expect(text).toMatch(/^## Outcome$/m)
  })
})
