import { RegistrationError } from '../../model/registration-error.ts'
import type { Connection } from './connection.ts'

export type FileLayout = 'documents' | 'tables'

/** A table that only files of this layout have. */
const markTables: Readonly<Record<FileLayout, string>> = {
  documents: '_layout',
  tables: 'resourcery_settings',
}

/** @throws RegistrationError if the file has the layout */
export function refuseLayout(connection: Connection, layout: FileLayout, file: string): void {
  const fault = layoutFault(connection, layout, file)
  if (fault !== undefined) throw new RegistrationError(fault)
}

/** Why a file that has the layout is refused; undefined if it does not have it. */
export function layoutFault(
  connection: Connection,
  layout: FileLayout,
  file: string,
): string | undefined {
  const query = "select 1 from sqlite_schema where type = 'table' and name = ?"
  if (!connection.prepare(query).get([markTables[layout]])) return undefined
  const advice =
    layout === 'tables'
      ? "Open it with sqlite(file, { layout: 'tables' })"
      : "Open it with sqlite(file), without { layout: 'tables' }"
  return `The SQLite file '${file}' keeps items in the layout '${layout}'. ${advice}, or choose another file.`
}
