import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = join(root, 'docs/requirements')

/**
 * `C17`, `DS36`, `API1`, `3.2` and `GetItem rule 2`, in a list before the colon of a test's name.
 */
const number = String.raw`(?:[A-Z]{1,3}\d{1,2}|\d\.\d{1,2}|(?:[A-Z]\w+ )?rule \d)`
const title = new RegExp(String.raw`['"\`](${number}(?:, ${number})*)[:,] `, 'g')

it('explains every number of a rule that the name of a test begins with', () => {
  const explained = new Set(
    readdirSync(pages).flatMap((page) => numbersOf(readFileSync(join(pages, page), 'utf8'))),
  )
  const used = testFiles().flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(title)].flatMap(([, list]) => list!.split(', ')),
  )
  expect(used.length).toBeGreaterThan(300)
  expect([...new Set(used)].filter((one) => !explained.has(one))).toEqual([])
})

function numbersOf(page: string): string[] {
  const rows = [...page.matchAll(/^\| ([A-Z]{1,3}\d+|(?:[A-Z]\w+ )?rule \d) \|/gm)]
  const headings = [...page.matchAll(/^## (\d\.\d+) /gm)]
  const named = [...rows, ...headings].map(([, name]) => name!)
  return named.flatMap((name) => [name, name.replace(/^\w+ (?=rule)/, '')])
}

function testFiles(): string[] {
  return ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => join(root, folder, file)),
  )
}
