import type { ModelDescription } from '../../model/model-description.ts'
import { pluralOf } from '../../model/naming.ts'
import { layoutOf, type TableLayout } from '../sql/layout.ts'
import { textLiteral } from '../sql/text-literal.ts'
import { backfillKeyPrefix } from './backfill-items.ts'
import type { Connection } from './connection.ts'
import { derivationsKey } from './derivations.ts'
import { quoteIdentifier, sqliteDialect } from './dialect.ts'
import { fingerprintKey } from './file-fingerprints.ts'
import { hasTable } from './has-table.ts'
import { printedName } from './printed-name.ts'
import { existingIndexes, type TableStep } from './table-steps.ts'

/**
 * The layout with the names that its tables have in the file: those of a former name of the model
 * (`was`), until a start renames them.
 * @param layouts those of all models, whose tables are not renamed
 */
export function layoutInFile(
  connection: Connection,
  layout: TableLayout,
  layouts: readonly TableLayout[],
): TableLayout {
  const { model, name } = layout
  const { formerNames } = model.storage
  if (formerNames.length === 0 || hasTable(connection, name)) return layout
  const taken = new Set(layouts.map((other) => other.name))
  const formerLayouts = formerNames
    .flatMap((former) => [pluralOf(former), former])
    .map((plural) => layoutOf(sqliteDialect, { ...model, plural }))
  const formerLayout = formerLayouts.find(
    (former) => !taken.has(former.name) && hasTable(connection, former.name),
  )
  return formerLayout ?? layout
}

/**
 * Renames the tables of a model, and what the file notes of it. Its indexes are dropped: they are
 * added under their new names.
 */
export function renameSteps(
  connection: Connection,
  former: TableLayout,
  layout: TableLayout,
): readonly TableStep[] {
  if (former.name === layout.name) return []
  const joinTables = layout.joinTables.flatMap((joinTable, index): readonly TableStep[] => {
    const { name } = former.joinTables[index]!
    return hasTable(connection, name)
      ? [renameTable(connection, name, joinTable.name, [joinTable.indexDefinition])]
      : []
  })
  return [
    renameTable(connection, former.name, layout.name, renamedNotes(former.model, layout.model)),
    ...joinTables,
  ]
}

function renameTable(
  connection: Connection,
  from: string,
  to: string,
  further: readonly string[],
): TableStep {
  const indexes = [...existingIndexes(connection, from)].filter((name) =>
    name.startsWith(`${from}(`),
  )
  return {
    kind: 'instant',
    endsOldProcesses: true,
    summary: `Rename the table '${printedName(from)}' to '${printedName(to)}'.`,
    sql: [
      `alter table ${quoteIdentifier(from)} rename to ${quoteIdentifier(to)}`,
      ...indexes.map((name) => `drop index ${quoteIdentifier(name)}`),
      ...further,
    ],
  }
}

/** The form of the items, what is derived in them, and the backfills that are done. */
function renamedNotes(former: ModelDescription, model: ModelDescription): readonly string[] {
  const form = [fingerprintKey(former.plural), fingerprintKey(model.plural)].map(textLiteral)
  const derivations = [derivationsKey(former.plural), derivationsKey(model.plural)].map(textLiteral)
  const backfills = [backfillKeyPrefix(former), backfillKeyPrefix(model)] as const
  const [from, to] = backfills.map(textLiteral)
  return [
    `update "_layout" set key = ${form[1]} where key = ${form[0]}`,
    `update "_layout" set key = ${derivations[1]} where key = ${derivations[0]}`,
    `update "_layout" set key = ${to} || substr(key, ${backfills[0].length + 1}) where substr(key, 1, ${backfills[0].length}) = ${from}`,
  ]
}
