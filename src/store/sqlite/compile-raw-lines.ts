import type { OwnedRelation } from '../../model/model-description.ts'
import { hashLength } from '../../stored-item/lazy-item.ts'
import type { RawLineFormat } from '../../stored-item/raw-lines.ts'
import { listAlias } from '../sql/compile-plan.ts'
import type { Table } from '../sql/table.ts'
import { byteLimitCheck, sqliteDialect } from './dialect.ts'

/**
 * All rows as one row: their lines joined by line feeds, as a blob, their number, and the linkage
 * of each relation as JSON. The byte limit counts the texts also where a line has only the version,
 * because the response has the serialized items.
 * @param select compiles the rows with these columns and expressions
 */
export function compileRawLines(
  table: Table,
  linked: readonly OwnedRelation[],
  format: RawLineFormat,
  select: (columns: readonly string[], expressions: readonly string[]) => string,
): string {
  const { columns, expression } = lineFormats[format]
  const linkages = linked.map(
    (relation, index) => `${linkageSql(table, relation)} as "linked ${index}"`,
  )
  const aggregates = linked.map(
    (relation, index) => `, ${aggregateLinkage[relation.kind](`"linked ${index}"`)}`,
  )
  return (
    `select cast(group_concat(${expression}, '\n') as blob), count(*)${aggregates.join('')} ` +
    `from (${select([...columns, ...linkages], [`octet_length(${listAlias}."text") as "bytes"`])}) where ${byteLimitCheck('"bytes"')}`
  )
}

/** The columns and the expression of a line. */
const lineFormats: Readonly<
  Record<RawLineFormat, { readonly columns: readonly string[]; readonly expression: string }>
> = {
  text: { columns: ['"text"'], expression: '"text"' },
  textAndOffset: { columns: ['"text"', '"split"'], expression: '"text" || "split"' },
  version: {
    columns: ['"hash"', '"id"'],
    expression: `ifnull("hash", '${'-'.repeat(hashLength)}') || json_quote("id")`,
  },
}

/** The linkage of a row: an id, or a JSON array of ids. */
function linkageSql(table: Table, relation: OwnedRelation): string {
  return relation.kind === 'toOne'
    ? table.columns.get(relation.name)!.sql
    : sqliteDialect.json('"text"', [relation.wireName])
}

/** The linkage of all rows in order, as a JSON array of ids or null, or of arrays of ids. */
const aggregateLinkage: Readonly<Record<OwnedRelation['kind'], (linkage: string) => string>> = {
  toOne: (linkage) => `json_group_array(${linkage})`,
  // An item written before the relation was declared has no value.
  toMany: (linkage) => `'[' || group_concat(ifnull(${linkage}, '[]')) || ']'`,
}
