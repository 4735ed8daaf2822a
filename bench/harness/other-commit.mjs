// Another commit of the library, built in a folder of its own, so that both are measured in one
// run.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Its benches come from that commit too, because an older library lacks what newer benches call.
 *
 * @param {string} commit any name of a commit that git knows
 * @returns {{ commit: string, bench: URL, remove: () => void }} its short hash, and its folder of
 * benches
 */
export function buildCommit(commit) {
  const hash = git('rev-parse', '--short', '--verify', `${commit}^{commit}`)
  const root = mkdtempSync(join(tmpdir(), 'resourcery-against-'))
  const folder = join(root, 'checkout')
  const remove = () => {
    if (existsSync(folder)) git('worktree', 'remove', '--force', folder)
    rmSync(root, { recursive: true, force: true })
  }
  try {
    git('worktree', 'add', '--detach', '--quiet', folder, hash)
    symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'))
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'inherit' })
  } catch (error) {
    remove()
    throw error
  }
  return { commit: hash, bench: new URL(`file://${folder}/bench/`), remove }
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync('git', args, { cwd: CHECKOUT, encoding: 'utf8' }).trim()
}
