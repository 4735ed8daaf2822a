// Packs the package as it is published, so that several tools can check the one file.
//   node scripts/pack.mjs <file>

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const file = process.argv[2]
if (file === undefined) throw new Error('Name the file to write.')
mkdirSync(dirname(file), { recursive: true })
const folder = mkdtempSync(join(dirname(file), 'pack-'))
try {
  // Its name has the version.
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { stdio: 'inherit' })
  renameSync(join(folder, /** @type {string} */ (readdirSync(folder)[0])), file)
} finally {
  rmSync(folder, { recursive: true })
}
