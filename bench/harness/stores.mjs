import { postgres } from 'resourcery/postgres'
import { sqlite } from 'resourcery/sqlite'

/** @type {Readonly<Record<string, (location: string) => import('resourcery').Store>>} */
export const STORES = {
  'sqlite-documents': (file) => sqlite(file),
  'sqlite-tables': (file) => sqlite(file, { layout: 'tables' }),
  postgres: (url) => postgres(url),
}
