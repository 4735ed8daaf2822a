import { releaseConnections as releaseNow } from '../../../src/store/sqlite/release-connections.ts'

/** More would hold more open files than some systems allow. */
const maxWaiting = 20
let waiting: string[] = []

/**
 * To close an SQLite file collects the garbage of the process, which takes long where hundreds of
 * test files have left their modules. So files stay open in a process that test files share, until
 * several of them share a collection. Stands in for the function of that name.
 */
export const releaseConnections: typeof releaseNow = async (file) => {
  waiting.push(file)
  if (waiting.length < maxWaiting) return
  const files = waiting
  waiting = []
  await Promise.all(files.map(releaseNow))
}
