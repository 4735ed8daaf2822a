import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The declarations that those of the entries import, and themselves.
 *
 * @param {readonly string[]} entries
 * @returns {ReadonlySet<string>}
 */
export function reachableDeclarations(entries) {
  /** @type {Set<string>} */
  const found = new Set()
  const waiting = entries.map((path) => join(path))
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue
    found.add(path)
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(imports))
      waiting.push(join(dirname(path), specifier.replace(/\.[jt]s$/, '.d.ts')))
  }
  return found
}

const imports = /\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g
