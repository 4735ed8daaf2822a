import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A Markdown file, by its path from the root of the repository. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** A fenced block of code, with the position of its code in the page. */
export interface Block {
  /** What stands behind the fence: for code of a file also the path of the file. */
  readonly language: string
  readonly code: string
  readonly start: number
  readonly end: number
}

export function pageAt(path: string): Page {
  return { path, text: readFileSync(join(root, path), 'utf8') }
}

/** The Markdown files of a folder, in alphabetical order. */
export function pagesIn(folder: string): readonly Page[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'))
  return names.toSorted().map((name) => pageAt(`${folder}/${name}`))
}

export function blocksOf({ text }: Page): readonly Block[] {
  return [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = '', code = ''] = match
    const start = match.index + '```\n'.length + language.length
    return { language, code, start, end: start + code.length }
  })
}

/** The page without its blocks of code; line numbers stay. */
export function proseOf(page: Page): string {
  return page.text.replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
}

/** Inside the repository, so that its code finds the packages; Git ignores it. */
export function temporaryFolder(name: string): string {
  const parent = join(root, '.data')
  mkdirSync(parent, { recursive: true })
  return mkdtempSync(join(parent, `${name}-`))
}
