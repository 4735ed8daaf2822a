import type { EditedParts, TextEditing, Texts } from '../../stored-item/edit-texts.ts'
import type { DocumentTable } from '../sql/table.ts'
import type { Connection } from './connection.ts'

/** The rows after an id, until another one or the last row. */
export interface RowRange {
  readonly after: string
  readonly until: string | undefined
}

/** Edits rows, and returns the ids of those that only `migrateItem` can change. */
export type RowEditor = (range: RowRange) => readonly string[]

export function rangeCondition({ after, until }: RowRange): {
  readonly sql: string
  readonly values: readonly string[]
} {
  return until === undefined
    ? { sql: 'id > ?', values: [after] }
    : { sql: 'id > ? and id <= ?', values: [after, until] }
}

/**
 * Edits texts in the statement that reads and writes their rows: statements for each row take twice
 * as long. It sets no columns that depend on the texts, so they have to be generated.
 */
export function rowEditor(
  connection: Connection,
  { sql }: DocumentTable,
  { edit, versionEnd }: TextEditing,
): RowEditor {
  /** By id: SQLite may look for all rows before it changes the first. */
  const editedTexts = new Map<unknown, Texts>()
  let unknownIds: string[] = []
  const editOf = (parts: EditedParts) => {
    try {
      return edit(parts)
    } catch {
      // Drivers replace the errors of functions. The caller gets it when it migrates the item.
      return undefined
    }
  }
  connection.defineFunction('edit_row', (id, text, split, hidden) => {
    const parts = { text, relationsOffset: split, hiddenText: hidden } as EditedParts
    const texts = editOf(parts)
    if (texts === undefined) unknownIds.push(id as string)
    if (texts === undefined || texts === parts) return 0
    editedTexts.set(id, texts)
    return 1
  })
  connection.defineFunction('edited_text', (id) => editedTexts.get(id)!.text)
  connection.defineFunction('edited_split', (id) => editedTexts.get(id)!.relationsOffset)
  const version = `substr(hash, 1, length(hash) - ${versionEnd.length}) || ?`
  const assignments = `text = edited_text(id), split = edited_split(id), hash = ${version}, revision = revision + 1`
  return (range) => {
    unknownIds = []
    const condition = rangeCondition(range)
    connection
      .prepare(
        `update ${sql} set ${assignments} where ${condition.sql} and edit_row(id, text, split, hidden)`,
      )
      .run([versionEnd, ...condition.values])
    editedTexts.clear()
    return unknownIds
  }
}
