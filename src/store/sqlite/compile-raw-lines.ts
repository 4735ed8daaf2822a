import type { OwnedRelation } from '../../model/model-description.ts'
import { hashLength } from '../../stored-item/lazy-item.ts'
import type { RawLineFormat } from '../../stored-item/raw-lines.ts'
import { listAlias } from '../sql/compile-plan.ts'
import type { Table } from '../sql/table.ts'
import { byteLimitCheck, sqliteDialect } from './dialect.ts'

/**
 * All rows as one: their lines with line feeds between, as a blob, and how many they are; then what
 * each of the relations holds, as JSON. They are broken off where their texts come to too many
 * bytes, also where only their versions are told: what was written of them is about as long.
 * @param select the rows, with these columns and expressions
 */
export function compileRawLines(
  table: Table,
  linked: readonly OwnedRelation[],
  line: RawLineFormat,
  select: (columns: readonly string[], expressions: readonly string[]) => string,
): string {
  const { columns, expression } = lineFormats[line]
  const linkages = linked.map(
    (relation, index) => `${linkageSql(table, relation)} as "linked ${index}"`,
  )
  const held = linked.map(
    (relation, index) => `, ${aggregateLinkage[relation.kind](`"linked ${index}"`)}`,
  )
  return (
    `select cast(group_concat(${expression}, '\n') as blob), count(*)${held.join('')} ` +
    `from (${select([...columns, ...linkages], [`octet_length(${listAlias}."text") as "bytes"`])}) where ${byteLimitCheck('"bytes"')}`
  )
}

/** What a line is made of. */
const lineFormats: Readonly<
  Record<RawLineFormat, { readonly columns: readonly string[]; readonly expression: string }>
> = {
  text: { columns: ['"text"'], expression: '"text"' },
  textAndSplit: { columns: ['"text"', '"split"'], expression: '"text" || "split"' },
  version: {
    columns: ['"hash"', '"id"'],
    expression: `ifnull("hash", '${'-'.repeat(hashLength)}') || json_quote("id")`,
  },
}

/** Where a row has the identifiers of a relation: one of them, or an array as JSON. */
function linkageSql(table: Table, relation: OwnedRelation): string {
  return relation.kind === 'toOne'
    ? table.columns.get(relation.name)!.sql
    : sqliteDialect.json('"text"', [relation.wireName])
}

/**
 * What the rows hold, in their order, as a JSON array: of identifiers or null, or of arrays of
 * identifiers.
 */
const aggregateLinkage: Readonly<Record<OwnedRelation['kind'], (held: string) => string>> = {
  toOne: (held) => `json_group_array(${held})`,
  // An item that is older than its relation lacks it.
  toMany: (held) => `'[' || group_concat(ifnull(${held}, '[]')) || ']'`,
}
