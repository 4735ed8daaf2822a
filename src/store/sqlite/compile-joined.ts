import type { OwnedRelation } from '../../model/description.ts'
import { listed } from '../sql/compile-plan.ts'
import type { Table } from '../sql/table.ts'
import type { ItemLine } from '../store.ts'
import { hashLength } from '../text-item.ts'
import { dialect, fits } from './dialect.ts'

/**
 * All rows as one: their lines with line feeds between, as a blob, and how many they are; then what each of the relations holds, as JSON.
 * They are broken off where their texts come to too many bytes, also where only their versions are told: what was written of them is about as long.
 * @param select the rows, with these columns and expressions
 */
export function compileJoined(
  table: Table,
  linked: readonly OwnedRelation[],
  line: ItemLine,
  select: (columns: readonly string[], expressions: readonly string[]) => string,
): string {
  const { columns, joined } = lines[line]
  const linkages = linked.map((relation, index) => `${linkageOf(table, relation)} as "linked ${index}"`)
  const held = linked.map((relation, index) => `, ${gathered[relation.kind](`"linked ${index}"`)}`)
  return (
    `select cast(group_concat(${joined}, '\n') as blob), count(*)${held.join('')} ` +
    `from (${select([...columns, ...linkages], [`octet_length(${listed}."text") as "bytes"`])}) where ${fits('"bytes"')}`
  )
}

/** What a line is made of. */
const lines: Readonly<Record<ItemLine, { readonly columns: readonly string[]; readonly joined: string }>> = {
  text: { columns: ['"text"'], joined: '"text"' },
  textAndSplit: { columns: ['"text"', '"split"'], joined: '"text" || "split"' },
  version: { columns: ['"hash"', '"id"'], joined: `ifnull("hash", '${'-'.repeat(hashLength)}') || json_quote("id")` },
}

/** Where a row has the identifiers of a relation: one of them, or an array as JSON. */
function linkageOf(table: Table, relation: OwnedRelation): string {
  return relation.kind === 'toOne' ? table.columns.get(relation.name)!.sql : dialect.json('"text"', [relation.wire])
}

/** What the rows hold, in their order, as a JSON array: of identifiers or null, or of arrays of identifiers. */
const gathered: Readonly<Record<OwnedRelation['kind'], (held: string) => string>> = {
  toOne: (held) => `json_group_array(${held})`,
  // An item that is older than its relation lacks it.
  toMany: (held) => `'[' || group_concat(ifnull(${held}, '[]')) || ']'`,
}
