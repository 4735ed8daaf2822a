import type { OwnedRelation } from '../../model/model-description.ts'
import type { RawLineFormat } from '../../stored-item/raw-lines.ts'
import type { DocumentDialect } from './document-dialect.ts'
import { listAlias, whereSql } from './row-source.ts'
import type { Table } from './table.ts'

/**
 * All rows as one row: their lines joined by line feeds, as bytes, their number, and the linkage of
 * each relation as JSON. The byte limit counts the texts.
 * @param select compiles the rows with these expressions
 */
export function compileRawLines(
  dialect: DocumentDialect,
  table: Table,
  linked: readonly OwnedRelation[],
  format: RawLineFormat,
  select: (columns: readonly string[]) => string,
): string {
  const { columns, expression } = lineFormats[format]
  const linkages = linked.map(
    (relation, index) => `${linkageSql(dialect, table, relation)} as "linked ${index}"`,
  )
  const aggregates = linked.map(
    (relation, index) => `, ${aggregateLinkage[relation.kind](dialect, `"linked ${index}"`)}`,
  )
  const bytes = `octet_length(${listAlias}."text") as "bytes"`
  const rows = select([...columns.map((column) => `${listAlias}.${column}`), ...linkages, bytes])
  return (
    `select ${dialect.bytes(dialect.joinTexts(expression, '\n'))}, count(*)${aggregates.join('')} ` +
    `from (${rows}) r${whereSql(dialect.byteLimitCheck('"bytes"'))}`
  )
}

/** The columns and the expression of a line. */
const lineFormats: Readonly<
  Record<RawLineFormat, { readonly columns: readonly string[]; readonly expression: string }>
> = {
  text: { columns: ['"text"'], expression: '"text"' },
  textAndOffset: { columns: ['"text"', '"split"'], expression: '"text" || "split"' },
}

/** The linkage of a row: an id, or a JSON array of ids. */
function linkageSql(dialect: DocumentDialect, table: Table, relation: OwnedRelation): string {
  return relation.kind === 'toOne'
    ? `${listAlias}.${table.columns.get(relation.name)!.sql}`
    : dialect.json(`${listAlias}."text"`, [relation.wireName])
}

/** The linkage of all rows in order, as a JSON array of ids or null, or of arrays of ids. */
const aggregateLinkage: Readonly<
  Record<OwnedRelation['kind'], (dialect: DocumentDialect, linkage: string) => string>
> = {
  toOne: (dialect, linkage) => dialect.jsonArray(linkage),
  // An item written before the relation was declared has no value.
  toMany: (dialect, linkage) =>
    `'[' || ${dialect.joinTexts(`coalesce(${linkage}, '[]')`, ',')} || ']'`,
}
