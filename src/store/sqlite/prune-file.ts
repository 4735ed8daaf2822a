import { existsSync } from 'node:fs'
import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { isUndeclaredMember, withoutUndeclared } from '../../stored-item/undeclared-members.ts'
import { isInternalCollection } from '../internal-model.ts'
import { layoutOf, type TableLayout } from '../sql/layout.ts'
import { falseSql } from '../sql/logic.ts'
import type { PruneOptions, UndeclaredData } from '../undeclared-data.ts'
import { backfillKeyPrefix } from './backfill-items.ts'
import type { Connection } from './connection.ts'
import { derivationsKey } from './derivations.ts'
import { quoteIdentifier, sqliteDialect } from './dialect.ts'
import {
  fingerprintInFile,
  fingerprintKey,
  layoutFingerprint,
  pluralsInFile,
} from './file-fingerprints.ts'
import { refuseLayout } from './file-layout.ts'
import { noteKeysAfter, removeNote } from './file-notes.ts'
import { fillingLog } from './filling-log.ts'
import { groupCommit } from './group-commit.ts'
import { hasTable } from './has-table.ts'
import { closeDatabaseFile, openDatabaseFile, openExistingFile } from './open-database-file.ts'
import { endRecomputation } from './recompute-in-batches.ts'
import { countRows } from './run-statement.ts'
import { dropSql, statesTable } from './words/words-sql.ts'

/**
 * Finds what no model declares any more, and drops it on demand.
 *
 * @throws RegistrationError if a start has to change the file first: what models declare is not in
 * its place until then
 */
export async function pruneFile(
  file: string,
  models: readonly ModelDescription[],
  { drops }: PruneOptions,
): Promise<readonly UndeclaredData[]> {
  if (!existsSync(file)) return []
  const layouts = models.map((model) => layoutOf(sqliteDialect, model))
  if (!drops)
    return openExistingFile(file, (connection) => undeclaredData(connection, file, layouts))
  return openDatabaseFile(file, async ({ openWriter }) => {
    const connection = openWriter('full')
    // It waits for the lock of a service that runs.
    const data = await groupCommit(connection).run(async () => {
      const undeclared = undeclaredData(connection, file, layouts)
      dropModels(connection, layouts)
      for (const layout of layouts) dropMembers(connection, layout)
      return undeclared
    })
    await closeDatabaseFile(file, [], [connection])
    return data
  })
}

function undeclaredData(
  connection: Connection,
  file: string,
  layouts: readonly TableLayout[],
): readonly UndeclaredData[] {
  refuseLayout(connection, 'tables', file)
  for (const layout of layouts)
    if (fingerprintInFile(connection, layout.model.plural) !== layoutFingerprint(layout))
      throw new RegistrationError(
        `The next start changes the items of '${layout.model.plural}' in '${file}'. Start the service first, and then prune.`,
      )
  return [
    ...undeclaredModels(connection, layouts).map(
      (plural): UndeclaredData => ({
        kind: 'model',
        name: plural,
        itemCount: countRows(connection, sqliteDialect.identifier(plural)),
      }),
    ),
    ...layouts.flatMap((layout) => undeclaredMembers(connection, layout)),
  ]
}

/** The collections that the file has, and no model. */
function undeclaredModels(
  connection: Connection,
  layouts: readonly TableLayout[],
): readonly string[] {
  const declared = new Set(layouts.map(({ model }) => model.plural))
  return pluralsInFile(connection).filter(
    (plural) => !declared.has(plural) && !isInternalCollection(plural),
  )
}

function undeclaredMembers(
  connection: Connection,
  { name, model }: TableLayout,
): readonly UndeclaredData[] {
  return connection
    .prepare(
      `select m.key, count(*) from ${quoteIdentifier(name)} i, json_each(i.hidden) m group by m.key order by m.key`,
    )
    .all([])
    .filter(([member]) => isUndeclaredMember(model, String(member)))
    .map(([member, count]) => ({
      kind: 'member',
      name: String(member),
      owner: model.plural,
      itemCount: Number(count),
    }))
}

function dropModels(connection: Connection, layouts: readonly TableLayout[]): void {
  for (const plural of undeclaredModels(connection, layouts)) {
    const name = sqliteDialect.identifier(plural)
    for (const table of [name, ...tablesAfter(connection, `${name}.`)])
      connection.exec(`drop table if exists ${quoteIdentifier(table)}`)
    dropWords(connection, name)
    fillingLog(connection, name, () => falseSql).end()
    endRecomputation(connection, name)
    removeNote(connection, derivationsKey(plural))
    const backfills = backfillKeyPrefix({ plural })
    for (const member of noteKeysAfter(connection, backfills))
      removeNote(connection, backfills + member)
    removeNote(connection, fingerprintKey(plural))
  }
}

function dropWords(connection: Connection, table: string): void {
  if (!hasTable(connection, statesTable)) return
  const names = connection.prepare(`select name from ${statesTable} where "table" = ?`).all([table])
  for (const [name] of names) for (const sql of dropSql(String(name))) connection.exec(sql)
}

/** Values of undeclared members are among the hidden ones, in columns, and in join tables. */
function dropMembers(
  connection: Connection,
  { name, model, columns, joinTables }: TableLayout,
): void {
  const table = quoteIdentifier(name)
  const update = connection.prepare(`update ${table} set hidden = ? where id = ?`)
  const rows = connection
    .prepare(`select id, hidden from ${table} where hidden is not null`)
    .all([])
  for (const [id, hiddenText] of rows as [string, string][]) {
    const pruned = withoutUndeclared(model, hiddenText)
    if (pruned !== hiddenText) update.run([pruned, id])
  }
  const declaredColumns = new Set(columns.map((column) => column.name))
  for (const [column] of connection.prepare('select name from pragma_table_xinfo(?)').all([name]))
    if (/^(text|hidden)\./.test(String(column)) && !declaredColumns.has(String(column)))
      connection.exec(`alter table ${table} drop column ${quoteIdentifier(String(column))}`)
  forgetBackfills(connection, model)
  endAbandonedFilling(connection, name, model)
  const declaredTables = new Set(joinTables.map((joinTable) => joinTable.name))
  for (const joinTable of tablesAfter(connection, `${name}.`))
    if (!declaredTables.has(joinTable)) connection.exec(`drop table ${quoteIdentifier(joinTable)}`)
}

/**
 * A deploy that was given up has left a log of changed ids, and values in fields that no model has.
 * With these dropped, the next one begins anew, and a start that goes on does so in its last step.
 */
function endAbandonedFilling(connection: Connection, table: string, model: ModelDescription): void {
  const log = fillingLog(connection, table, () => falseSql)
  const isDeclared = [...log.addedNames()].some((name) => model.fieldsByWireName.has(name))
  if (!isDeclared) log.end()
}

/** A field that comes back has no values then, and is filled in again. */
function forgetBackfills(connection: Connection, model: ModelDescription): void {
  const prefix = backfillKeyPrefix(model)
  for (const member of noteKeysAfter(connection, prefix))
    if (!model.fieldsByWireName.has(member)) removeNote(connection, prefix + member)
}

/** The join tables of a collection. */
function tablesAfter(connection: Connection, prefix: string): readonly string[] {
  return connection
    .prepare("select name from sqlite_schema where type = 'table' and substr(name, 1, ?) = ?")
    .all([prefix.length, prefix])
    .map(([name]) => String(name))
}
