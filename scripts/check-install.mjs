// What the package costs whoever installs it: how many packages, and how many bytes. Without its
// peers, such as zod (6 MB) and the driver of SQLite, which a service chooses by itself.
//   node scripts/check-install.mjs <package file>

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const maxBytes = 6_000_000
const maxPackages = 10

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Name the package file.')
const folder = mkdtempSync(join(tmpdir(), 'install-'))
try {
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--silent', '--omit=peer']
  execFileSync('npm', ['install', ...options, resolve(file)], { cwd: folder, stdio: 'inherit' })
  const paths = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' })
  const stats = paths.map((path) => statSync(join(folder, 'node_modules', path)))
  const bytes = stats.reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)
  const packages = paths.filter((path) => /^(?:@[^/]+\/)?[^@./][^/]*\/package\.json$/.test(path))
  const megabytes = (bytes / 1e6).toFixed(1)
  console.log(`An install has ${packages.length} packages and ${megabytes} MB, without peers.`)
  if (packages.length > maxPackages || bytes > maxBytes) {
    console.error(`At most ${maxPackages} packages and ${maxBytes / 1e6} MB are allowed.`)
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true })
}
