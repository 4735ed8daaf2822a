import type { TableLayout } from '../sql/layout.ts'
import type { Connection } from './connection.ts'
import { fingerprintInFile, layoutFingerprint } from './file-fingerprints.ts'
import { layoutInFile } from './renamed-tables.ts'

/**
 * Will a start with these models end processes that use the file? They have the form that the items
 * have in the file now. Call it after `checkVersion`.
 */
export function endsOldProcesses(connection: Connection, layouts: readonly TableLayout[]): boolean {
  return layouts.some((layout) => {
    const { name, model } = layoutInFile(connection, layout, layouts)
    const stored = fingerprintInFile(connection, model.plural)
    if (stored === undefined) return false
    return name !== layout.name || stored !== layoutFingerprint(layout)
  })
}
