import { membersInFingerprint, schemaFingerprint } from '../../stored-item/migrate-item.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { ColumnType } from './column-type.ts'
import type { Engine } from './engine.ts'
import type { RelationalLayout } from './relational-layout.ts'
import { type Settings, writeSetting } from './settings-table.ts'

const noteKeyPrefix = 'model of '

/** What the store remembers of a table that it made. */
export interface TableNote {
  /** That of the model whose requirements all rows satisfied. */
  readonly fingerprint: string
  /** The members that the columns have, or had, by column. */
  readonly members: Readonly<Record<string, NotedMember>>
}

interface NotedMember {
  /** As stored items name it: the wire name. */
  readonly name: string
  readonly type: ColumnType
}

/** Undefined for a table that no start has changed since notes are taken. */
export function noteOf(
  engine: Engine,
  settings: Settings,
  { table }: Pick<RelationalLayout, 'table'>,
): TableNote | undefined {
  const text = settings.get(noteKey(engine, { table }))
  return text === undefined ? undefined : (JSON.parse(text) as TableNote)
}

/** The wire names of the members that the last model of the table declared. */
export function declaredMembers(
  engine: Engine,
  settings: Settings,
  layout: Pick<RelationalLayout, 'table'>,
): ReadonlySet<string> | undefined {
  const note = noteOf(engine, settings, layout)
  return note && membersInFingerprint(JSON.parse(note.fingerprint) as string[])
}

/** Has the table items? Join tables have no note. */
export function isNotedModel(settings: Settings, quotedTable: string): boolean {
  return settings.has(noteKeyPrefix + quotedTable)
}

/** Did all rows satisfy the requirements of this model? */
export function isNoted(engine: Engine, settings: Settings, layout: RelationalLayout): boolean {
  return noteOf(engine, settings, layout)?.fingerprint === schemaFingerprint(layout.model)
}

/**
 * Notes the model of a table. Members of former models stay.
 * @param before the note of the table, or of its former name
 */
export function writeNote(
  engine: Engine,
  layout: RelationalLayout,
  before: TableNote | undefined,
): Statement {
  const members = layout.columns.map(({ name, field, type }): [string, NotedMember] => [
    name,
    { name: field.wireName, type },
  ])
  const note: TableNote = {
    fingerprint: schemaFingerprint(layout.model),
    members: { ...before?.members, ...Object.fromEntries(members) },
  }
  return writeSetting(engine, noteKey(engine, layout), JSON.stringify(note))
}

function noteKey({ quoteTable }: Engine, { table }: Pick<RelationalLayout, 'table'>): string {
  return noteKeyPrefix + quoteTable(table)
}
