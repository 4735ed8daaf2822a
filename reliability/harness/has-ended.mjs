import { readFileSync } from 'node:fs'

/**
 * A process whose parent is gone may wait a while for its exit code to be read; it has ended.
 *
 * @param {number} pid
 */
export function hasEnded(pid) {
  try {
    return /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}
