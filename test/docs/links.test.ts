import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Page, pageAt, pagesIn, proseOf, root } from '../support/documentation.ts'

const shipped: readonly string[] = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
).files
const published = shipped.flatMap((path) => {
  if (path.endsWith('.md')) return [pageAt(path)]
  return path.startsWith('docs/') ? pagesIn(path) : []
})
const pages = [
  ...published,
  pageAt('docs/architecture.md'),
  ...pagesIn('docs/adr'),
  pageAt('bench/README.md'),
]

describe('Links in the documents', () => {
  it.each(pages)('$path links to files and headings that are there', (page) => {
    const dead = linksOf(page).filter(
      ({ file, heading }) => !existsSync(join(root, file)) || !hasHeading(file, heading),
    )
    expect(dead).toEqual([])
  })

  it.each(published)('$path, which npm ships, links to shipped files alone', (page) => {
    const isShipped = (file: string) =>
      shipped.some((one) => file === one || file.startsWith(`${one}/`))
    expect(linksOf(page).filter(({ file }) => !isShipped(file))).toEqual([])
  })
})

interface Link {
  /** From the root of the repository. */
  readonly file: string
  readonly heading: string | undefined
}

/** Links to other sites are not followed. */
function linksOf(page: Page): readonly Link[] {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets
    .filter((target) => !/^\w+:/.test(target))
    .map((target) => {
      const [path = '', heading] = target.split('#')
      return { file: path === '' ? page.path : join(dirname(page.path), path), heading }
    })
}

function hasHeading(file: string, heading: string | undefined): boolean {
  if (heading === undefined) return true
  const headings = [...proseOf(pageAt(file)).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    anchorOf(text),
  )
  return headings.includes(heading)
}

/** As GitHub and npm make it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
