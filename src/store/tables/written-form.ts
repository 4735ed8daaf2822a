import {
  bodyStart,
  bodyWithoutVersion,
  createStoredItem,
  readStoredValues,
  storedItemOfBody,
} from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ColumnType } from './column-type.ts'
import type { VersionMaker } from './item-version.ts'
import type { RowFormat, TableColumns } from './row-format.ts'

/**
 * What a row holds once an item is written, known before the database says so. The row has to be
 * compared with it in the transaction of the write, because the database may change values.
 */
export interface WrittenForm {
  /** The texts of a row with this alias: its members, and its version if it has one. */
  cells(alias: string): readonly string[]
  /** The same texts of the item. */
  textsOf(item: StoredItem, version: string): readonly string[]
  /** The item as it would be read. */
  itemOf(item: StoredItem, version: string): StoredItem
}

/** Undefined where the database does not write the texts of items, or makes versions itself. */
export function writtenForm(
  { texts }: RowFormat,
  columns: TableColumns,
  versionColumns: readonly string[],
  makeVersion: VersionMaker,
): WrittenForm | undefined {
  const { version } = columns
  if (texts === undefined || version.kind === 'named') return undefined
  const { model } = columns.layout
  const inColumns = canonicalItem(columns)
  return {
    cells(alias) {
      const { shown, hidden } = texts(alias)
      const versions = versionColumns.map((column) => `cast(${alias}.${column} as text)`)
      return [shown, hidden, ...versions]
    },
    textsOf(item, newVersion) {
      const shown = bodyWithoutVersion(model, item).slice(bodyStart(item.id).length)
      const hidden = item.hiddenText === null ? '' : `,${item.hiddenText.slice(1, -1)}`
      return [shown, hidden, ...versionColumns.map(() => newVersion)]
    },
    itemOf(given, newVersion) {
      const item = inColumns(given)
      const { id, relationsOffset, hiddenText } = item
      const body = bodyWithoutVersion(model, item)
      const parts = [model.name, version.kind === 'none' ? '' : newVersion, body, hiddenText ?? '']
      const hash = model.hashField ? makeVersion(parts) : null
      return storedItemOfBody(model, body, { id, relationsOffset, hiddenText, hash, revision: 1 })
    },
  }
}

/** A column of such a type has one text for several that mean the same. */
const canonicalTypes: ReadonlySet<ColumnType> = new Set(['instant', 'decimal', 'uuid'])

/** The item with the texts that its columns have. */
function canonicalItem({ layout, codecOf }: TableColumns): (item: StoredItem) => StoredItem {
  const { model } = layout
  const fields = layout.columns
    .filter(({ type }) => canonicalTypes.has(type))
    .map(({ field }) => field)
  if (fields.length === 0) return (item) => item
  return (item) => {
    const stored = readStoredValues(model, item)
    let values = stored
    for (const field of fields) {
      const value = stored[field.name]
      const canonical =
        (typeof value === 'string' ? codecOf(field).canonical(value) : undefined) ?? value
      if (canonical !== value) values = { ...values, [field.name]: canonical }
    }
    return values === stored ? item : createStoredItem(model, values, item.revision)
  }
}
