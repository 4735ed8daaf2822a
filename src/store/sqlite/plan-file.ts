import { existsSync } from 'node:fs'
import { isDerivedField, type ModelDescription } from '../../model/model-description.ts'
import { fingerprintEntry } from '../../stored-item/migrate-item.ts'
import { storedNames } from '../../stored-item/stored-names.ts'
import { countOf, joinWords } from '../../text/message-text.ts'
import { backfillSummary } from '../backfill.ts'
import { layoutOf, type TableLayout } from '../sql/layout.ts'
import type { PlanOptions } from '../store.ts'
import type { PlanStep } from '../store-plan.ts'
import { countLacking, pendingBackfills } from './backfill-items.ts'
import { missingChangeTables } from './change-table.ts'
import type { Connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import {
  fingerprintInFile,
  formInFile,
  layoutFingerprint,
  membersInFile,
} from './file-fingerprints.ts'
import { layoutFault } from './file-layout.ts'
import { hasTable } from './has-table.ts'
import { mayChangeItems } from './may-change-items.ts'
import { missingValuesFaults } from './missing-values.ts'
import { openExistingFile } from './open-database-file.ts'
import { duplicateFault, versionFault } from './prepare-tables.ts'
import { pendingRecomputation } from './recomputation.ts'
import { layoutInFile, renameSteps } from './renamed-tables.ts'
import { missingRequestTable } from './request-table.ts'
import { countRows } from './run-statement.ts'
import { existingIndexes, indexSteps, tableSteps } from './table-steps.ts'
import { type QueryWords, wordsSteps } from './words/words-steps.ts'

/** What opening the file with these models would do. The file stays as it is. */
export async function planFile(
  file: string,
  models: readonly ModelDescription[],
  { keepsRequests, keepsChanges }: PlanOptions = {},
): Promise<readonly PlanStep[]> {
  const layouts = models.map((model) => layoutOf(sqliteDialect, model))
  if (!existsSync(file))
    return [{ kind: 'instant', summary: `Create the file '${file}' and its tables.`, sql: [] }]
  return openExistingFile(file, async (connection): Promise<readonly PlanStep[]> => {
    const fault =
      layoutFault(connection, 'tables', file) ??
      (hasTable(connection, '_layout') ? versionFault(connection) : undefined)
    if (fault !== undefined) return [{ kind: 'refused', summary: fault }]
    const steps: PlanStep[] = []
    const requestTable = keepsRequests ? missingRequestTable(connection) : []
    if (requestTable.length > 0)
      steps.push({ kind: 'instant', summary: requestTableSummary, sql: requestTable })
    const changeTables = keepsChanges ? missingChangeTables(connection) : []
    if (changeTables.length > 0)
      steps.push({ kind: 'instant', summary: changeTablesSummary, sql: changeTables })
    const presentLayouts = layouts.map((layout) => layoutInFile(connection, layout, layouts))
    for (const layout of presentLayouts) steps.push(...backfillSteps(connection, layout))
    for (const [index, layout] of layouts.entries()) {
      const present = presentLayouts[index]!
      steps.push(
        ...renameSteps(connection, present, layout),
        ...tableSteps(connection, layout, present),
        ...(await missingValuesSteps(connection, present)),
        ...migrationSteps(connection, present, layout),
        ...indexSteps(connection, layout, present),
        ...duplicateSteps(connection, present),
      )
    }
    const query: QueryWords = (sql, table) =>
      hasTable(connection, table) ? connection.prepare(sql).all([]) : []
    const tableOfModel = ({ plural }: ModelDescription) => sqliteDialect.identifier(plural)
    return [...steps, ...(await wordsSteps(models, tableOfModel, query))]
  })
}

const requestTableSummary =
  'Create the table in which the store keeps results of requests with an Idempotency-Key.'

const changeTablesSummary = 'Create the tables in which the store keeps the log of changes.'

function backfillSteps(connection: Connection, layout: TableLayout): readonly PlanStep[] {
  return pendingBackfills(connection, layout).flatMap((field): readonly PlanStep[] => {
    const count = countLacking(connection, layout, [field])
    if (count === 0) return []
    const summary = backfillSummary(layout.model, field, countOf(count, 'item'))
    return [{ kind: 'rewrite', summary, sql: [], itemCount: count }]
  })
}

/** Items that a start would refuse because they lack a value. */
async function missingValuesSteps(
  connection: Connection,
  layout: TableLayout,
): Promise<readonly PlanStep[]> {
  if (!hasTable(connection, layout.name) || !hasTable(connection, '_layout')) return []
  const filled = pendingBackfills(connection, layout)
  const faults = await missingValuesFaults(connection, layout, filled)
  return faults.map((summary) => ({ kind: 'refused', summary }))
}

/** Values that a new unique index would refuse. */
function duplicateSteps(connection: Connection, layout: TableLayout): readonly PlanStep[] {
  if (!hasTable(connection, layout.name)) return []
  const existing = existingIndexes(connection, layout.name)
  return layout.indexes
    .filter(({ kind }) => kind === 'unique' || kind === 'uniqueSet')
    .filter(({ name }) => !existing.has(name))
    .map((index) => duplicateFault(connection, layout, index))
    .filter((fault) => fault !== undefined)
    .map((summary) => ({ kind: 'refused', summary }))
}

/** Items that an older model wrote are read and brought into the new form. */
function migrationSteps(
  connection: Connection,
  layout: TableLayout,
  { model: { plural } }: TableLayout,
): readonly PlanStep[] {
  const { model, name } = layout
  const isKnown = hasTable(connection, name)
  const isPlanned = hasTable(connection, '_layout')
  if (!isKnown || !isPlanned) return []
  if (fingerprintInFile(connection, model.plural) === layoutFingerprint(layout)) return []
  const count = countRows(connection, name)
  if (count === 0) return []
  const recomputed = pendingRecomputation(connection, layout)
  const form = recomputed?.form ?? formInFile(connection, model.plural)
  const computed = (recomputed?.fields ?? []).map((field): PlanStep => {
    const summary = backfillSummary(layout.model, field, countOf(count, 'item'))
    return { kind: 'rewrite', summary, sql: [], itemCount: count }
  })
  if (!mayChangeItems(connection, layout, form))
    return [
      ...computed,
      {
        kind: 'instant',
        endsOldProcesses: true,
        summary: `Note the members of '${plural}'. No item changes.`,
        sql: [],
      },
    ]
  return [
    {
      kind: 'rewrite',
      endsOldProcesses: true,
      summary: `Bring ${countOf(count, 'item')} of '${plural}' into the form of the model${changesIn(connection, model)}.`,
      sql: [],
      itemCount: count,
      itemsPerSecond: migratedPerSecond,
    },
  ]
}

/** As measured with items of some 500 bytes. */
const migratedPerSecond = 50_000

/** The members that items have under a former name (`was`), and those that are computed. */
function changesIn(connection: Connection, model: ModelDescription): string {
  const stored = membersInFile(connection, model.plural)
  const { members } = formInFile(connection, model.plural)
  const computed = model.valueFields
    .filter((field) => isDerivedField(field) && !members.has(fingerprintEntry(field)))
    .map(({ wireName }) => `'${wireName}' is computed`)
  const fields = [...model.valueFields, ...model.ownedRelations, ...model.resourceFields]
  const renames = fields.flatMap((field) => {
    const former = storedNames(model, field).find((name) => stored.has(name))
    return former === undefined || former === field.wireName
      ? []
      : [`'${former}' becomes '${field.wireName}'`]
  })
  const changes = [...renames, ...computed]
  return changes.length === 0 ? '' : `: ${joinWords(changes)}`
}
