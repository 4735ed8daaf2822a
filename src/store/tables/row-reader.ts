import type { ModelDescription, OwnedRelation } from '../../model/model-description.ts'
import { bodyStart, storedItemOfBody } from '../../stored-item/create-stored-item.ts'
import { ResourceWriter } from '../../stored-item/item-resources.ts'
import { linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Row } from '../sql/rows.ts'
import type { ColumnCodec } from './column-type.ts'
import type { VersionMaker } from './item-version.ts'
import type { ColumnField, VersionColumn } from './relational-layout.ts'
import type { RelationInRun, RowFormat, Segment } from './row-format.ts'

/** What the cells of a row are read with. */
interface RowCodecs {
  readonly model: ModelDescription
  readonly idCodec: ColumnCodec
  codecOf(field: ColumnField): ColumnCodec
  readonly version: VersionColumn
}

/** Reads what rows hold. */
export interface RowReader {
  /** The item of a row that begins with the expressions of its table. */
  itemOf(row: Row): StoredItem
  idOf(row: Row): string
  /** Reads the ids that a relation of an item holds. */
  linkedIdsReader(relation: OwnedRelation): (row: Row) => readonly string[]
}

/**
 * Makes items of rows: it joins what the database wrote, and writes the JSON of other columns
 * directly, without objects of values.
 */
export function rowReader(
  format: RowFormat,
  { model, idCodec, codecOf, version }: RowCodecs,
  makeVersion: VersionMaker,
): RowReader {
  const { segments, relationsStart, resourcesStart, relationCells, cellCount } = format
  const relationSegments = segments.slice(relationsStart, resourcesStart)
  const versionIndex = cellCount + 1
  const idOf: RowReader['idOf'] = (row) => String(idCodec.decode(row[0]))
  const versionOf = (row: Row, id: string, body: string, hiddenText: string | null): string => {
    const rowVersion = version.kind === 'none' ? '' : String(row[versionIndex] ?? '')
    return version.kind === 'named'
      ? // The rows of join tables change without the column.
        makeVersion([
          model.name,
          id,
          rowVersion,
          ...relationSegments.map((segment) => textOf(segment, row)),
        ])
      : // Rows of two tables may have the same id and content.
        makeVersion([model.name, rowVersion, body, hiddenText ?? ''])
  }
  const itemOf: RowReader['itemOf'] = (row) => {
    const id = String(idCodec.decode(row[0]))
    let body = bodyStart(id)
    let hidden = ''
    let relationsOffset = 0
    let writer: ResourceWriter | undefined
    // One loop without calls: most of the time of a list is spent here.
    for (let position = 0; position < segments.length; position++) {
      if (position === relationsStart) relationsOffset = body.length
      const { index, isShown, prefix, whenNull, write, writeResources } = segments[position]!
      const raw = row[index]
      let json: string
      if (raw === null) {
        if (whenNull === undefined) continue
        json = whenNull
      } else if (write !== undefined) json = write(raw)
      else if (writeResources !== undefined) {
        // Most items have no resources, and need no writer.
        writer ??= new ResourceWriter(model, id)
        json = writeResources(raw, writer)
      } else json = raw as string
      if (isShown) body += prefix + json
      else hidden += prefix + json
    }
    if (relationsStart === segments.length) relationsOffset = body.length
    const blobKeys = writer?.writeBlobKeys()
    if (blobKeys !== undefined) hidden += `,${blobKeys}`
    const hiddenText = hidden === '' ? null : `{${hidden.slice(1)}}`
    const hash = model.hashField ? versionOf(row, id, body, hiddenText) : null
    return storedItemOfBody(model, body, { id, relationsOffset, hiddenText, hash, revision: 1 })
  }
  return {
    itemOf,
    idOf,
    linkedIdsReader(relation) {
      const { index, inRun } = relationCells.get(relation.name)!
      if (inRun) return (row) => idsInRun(row[index] as string, inRun)
      if (relation.kind === 'toMany') return (row) => JSON.parse(row[index] as string)
      const codec = codecOf(relation)
      return (row) => (row[index] === null ? [] : [String(codec.decode(row[index]))])
    },
  }
}

function textOf({ index, whenNull, write }: Segment, row: Row): string {
  const raw = row[index]
  if (raw === null) return whenNull!
  return write ? write(raw) : (raw as string)
}

/**
 * The ids of a relation in a run of relations. No id has a key in it, because quotes in texts are
 * escaped.
 */
function idsInRun(run: string, { field, key }: RelationInRun): readonly string[] {
  if (field.kind === 'toMany' || run.includes('\\'))
    return linkedIds(JSON.parse(`{${run.slice(1)}}`), field)
  const start = run.indexOf(key) + key.length
  return run.charCodeAt(start) === quote ? [run.slice(start + 1, run.indexOf('"', start + 1))] : []
}

const quote = 0x22
