import type { OwnedRelation, ResourceField, ValueField } from '../../model/model-description.ts'
import { storedItemOfTexts } from '../../stored-item/create-stored-item.ts'
import { ResourceWriter } from '../../stored-item/item-resources.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ColumnCodec } from './column-type.ts'
import { columnWriter } from './column-writer.ts'
import type { VersionMaker } from './item-version.ts'
import type { ColumnField, RelationalLayout, VersionColumn } from './relational-layout.ts'
import { readResources } from './resource-values.ts'

/** The columns of a row: the id, those of the layout, the targets of join tables, the version. */
export interface RowFormat {
  readonly layout: RelationalLayout
  readonly idCodec: ColumnCodec
  codecOf(field: ColumnField): ColumnCodec
  readonly version: VersionColumn
}

/** The resources of one item: most have none, and need no writer. */
type ResourcesOfItem = () => ResourceWriter

/** The JSON of a column that is not NULL. */
type ColumnWriter = (raw: unknown, resources: ResourcesOfItem) => string

interface MemberColumn {
  readonly index: number
  readonly whenNull: string | undefined
  readonly write: ColumnWriter
}

/** Reads what rows hold. */
export interface RowReader {
  /** The item of a row that begins with the expressions of its table. */
  itemOf(row: readonly unknown[]): StoredItem
  idOf(row: readonly unknown[]): string
  /** The ids that a relation of this item holds. */
  linkedIdsOf(row: readonly unknown[], relation: OwnedRelation): readonly string[]
}

/** Makes items of rows. The JSON of each column is written directly, without objects of values. */
export function rowReader(format: RowFormat, makeVersion: VersionMaker): RowReader {
  const { layout, idCodec, version } = format
  const { model } = layout
  // By name, because each router has fields of its own for a model.
  const indexes = new Map(
    [...layout.columns, ...layout.joinTables].map(({ field }, index) => [field.name, index + 1]),
  )
  const columnOf = (field: ColumnField, write: ColumnWriter): MemberColumn => {
    const { nullValue } = layout.columns.find((column) => column.field === field)!
    const whenNull = nullValue === null ? 'null' : undefined
    return { index: indexes.get(field.name)!, whenNull, write }
  }
  const values = model.valueFields.map((field) => columnOf(field, valueWriter(format, field)))
  const relations = model.ownedRelations.map((field) => {
    if (field.kind === 'toOne') return columnOf(field, plainWriter(format.codecOf(field)))
    return { index: indexes.get(field.name)!, whenNull: '[]', write: asWritten }
  })
  const resourceColumns = model.resourceFields.map((field) =>
    columnOf(field, resourceWriter(format, field)),
  )
  const versionIndex = indexes.size + 1
  const idOf: RowReader['idOf'] = (row) => String(idCodec.decode(row[0]))
  const itemOf: RowReader['itemOf'] = (row) => {
    const id = idOf(row)
    let writer: ResourceWriter | undefined
    const resources = () => {
      writer ??= new ResourceWriter(model, id)
      return writer
    }
    const textOf = ({ index, whenNull, write }: MemberColumn) => {
      const raw = row[index]
      return raw === null ? whenNull : write(raw, resources)
    }
    const texts = {
      id,
      values: values.map(textOf),
      relations: relations.map(textOf) as string[],
      resources: resourceColumns.map(textOf) as string[],
      blobKeys: writer?.writeBlobKeys(),
    }
    const rowVersion = version.kind === 'none' ? '' : String(row[versionIndex] ?? '')
    return storedItemOfTexts(model, texts, 1, (body, hiddenText) =>
      version.kind === 'named'
        ? // The rows of join tables change without the column.
          makeVersion([model.name, id, rowVersion, ...texts.relations])
        : // Rows of two tables may have the same id and content.
          makeVersion([model.name, rowVersion, body, hiddenText ?? '']),
    )
  }
  return {
    itemOf,
    idOf,
    linkedIdsOf(row, relation) {
      const raw = row[indexes.get(relation.name)!]
      if (relation.kind === 'toMany') return JSON.parse(raw as string)
      return raw === null ? [] : [String(format.codecOf(relation).decode(raw))]
    },
  }
}

function valueWriter({ codecOf }: RowFormat, field: ValueField): ColumnWriter {
  const writeJson = columnWriter(codecOf(field), field.type)
  const { nestedResources } = field
  if (!nestedResources) return writeJson
  return (raw, resources) => {
    const value = readResources(field, JSON.parse(writeJson(raw)))
    return resources().writeValue(nestedResources, value, field.wireName)
  }
}

function resourceWriter({ codecOf }: RowFormat, field: ResourceField): ColumnWriter {
  const codec = codecOf(field)
  return (raw, resources) => {
    const resource = readResources(field, codec.decode(raw))
    return resources().writeResource(resource, field.wireName)
  }
}

function plainWriter(codec: ColumnCodec): ColumnWriter {
  return (raw) => JSON.stringify(codec.decode(raw))
}

function asWritten(raw: unknown): string {
  return raw as string
}
