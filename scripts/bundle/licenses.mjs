import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The licenses of the packages whose code is in the bundle.
 *
 * @param {readonly string[]} files that were bundled
 */
export function licensesOf(files) {
  const folders = new Set(
    files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
  )
  return Array.from(folders).sort().map(licenseIn).join('\n\n')
}

/** @param {string} folder */
function licenseIn(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : ''
  return `${name} ${version} (${license})\n\n${text}`.trim()
}
