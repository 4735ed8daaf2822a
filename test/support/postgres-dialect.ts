import { postgresDialect } from '../../src/store/postgres/dialect.ts'
import type { Dialect } from '../../src/store/sql/dialect.ts'

const asJson = (document: string) => `${document}::jsonb`

/** SQL for PostgreSQL over documents that are texts, as those of SQLite are. */
export const postgresDocumentDialect: Dialect = {
  ...postgresDialect,
  value: (document, names, type) => postgresDialect.value(asJson(document), names, type),
  json: (document, names) => postgresDialect.json(asJson(document), names),
  elements: (document, names, type) => postgresDialect.elements(asJson(document), names, type),
  columnValue: (document, names, type) =>
    postgresDialect.columnValue(asJson(`${document}::text`), names, type),
}
