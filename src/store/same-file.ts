import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'

/** Do two paths lead to one file, also through links? */
export function isSameFile(first: string, second: string): boolean {
  return realPath(first) === realPath(second)
}

/** A file that is not there yet has no link. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
