import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/**
 * One file that names another in an import or export, of values or types alike. Paths are relative
 * to `src`.
 */
export interface Arrow {
  readonly from: string
  readonly to: string
}

const specifier =
  /(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s+['"]([^'"]+)['"]|new URL\(\s*['"](\.[^'"]+)['"]/g

export function sourceFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|js)$/.test(file) && !/\.test(?:-d)?\.ts$/.test(file))
    .map((file) => file.replaceAll('\\', '/'))
}

/** Every import between the files below a folder. */
export function arrowsOf(root: string): readonly Arrow[] {
  return sourceFiles(root).flatMap((from) =>
    importsOf(from, readFileSync(join(root, from), 'utf8')),
  )
}

export function importsOf(from: string, text: string): readonly Arrow[] {
  return [...text.matchAll(specifier)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? '')
    .filter((target) => target.startsWith('.'))
    .map((target) => ({ from, to: normalize(join(dirname(from), target)).replaceAll('\\', '/') }))
}
