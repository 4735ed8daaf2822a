import { ChangeListeners } from '../change-signal.ts'
import type { Connection } from './connection.ts'
import { dataVersion } from './data-version.ts'

/** How often it looks for commits of other processes. */
const lookMs = 100

/**
 * Says when the log of changes in a file may have grown. Commits of other connections, of this
 * process too, show in a number of the reading connection.
 * @param current the reading connection while the file is open
 */
export function sqliteChangeSignal(current: () => Connection | undefined): ChangeListeners {
  return new ChangeListeners((onCommit) => {
    let known = versionOf(current())
    const timer = setInterval(() => {
      const version = versionOf(current())
      if (version === known) return
      known = version
      onCommit()
    }, lookMs)
    timer.unref()
    return () => clearInterval(timer) as undefined
  })
}

/** Undefined while it cannot be read. */
function versionOf(connection: Connection | undefined): number | undefined {
  try {
    return connection && dataVersion(connection)
  } catch {
    return undefined
  }
}
