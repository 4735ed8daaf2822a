import { crc32 } from 'node:zlib'
import type {
  HashField,
  ModelDescription,
  OwnedRelation,
  ToManyField,
  ToOneField,
  UniqueRange,
  ValueField,
} from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { isRequiredRelation } from '../../model/relation-kinds.ts'
import type { ResourceField } from '../../model/resource-field.ts'
import type { TableName } from '../../model/storage.ts'
import type { DecimalDigits } from '../../model/value-type.ts'
import type { Scalar, SortDirection } from '../../query/query-plan.ts'
import { admitsNull } from '../sql/column-layout.ts'
import { type ColumnType, columnTypeOf } from './column-type.ts'
import { shortName } from './short-name.ts'

export type ColumnField = ValueField | ResourceField | ToOneField

/** A column of a field. */
export interface RelationalColumn {
  readonly field: ColumnField
  readonly name: string
  readonly type: ColumnType
  /** Does the model require a value other than null? */
  readonly isRequired: boolean
  /** What an item has where the column is NULL: nothing, or null. */
  readonly nullValue: null | undefined
}

export interface RelationalIndex {
  readonly name: string
  readonly isUnique: boolean
  readonly keys: readonly {
    readonly column: RelationalColumn
    readonly direction: SortDirection
  }[]
  /** Which rows it holds; empty for all. */
  readonly where: readonly { readonly column: RelationalColumn; readonly value: Scalar }[]
}

/** A rule that rows with the same values must not overlap. */
export interface RelationalExclusion {
  readonly name: string
  readonly range: UniqueRange
  readonly columns: readonly RelationalColumn[]
  readonly from: RelationalColumn
  readonly to: RelationalColumn
  readonly where: RelationalIndex['where']
}

/** The digits of a field with decimal numbers. */
export function digitsOf(field: ColumnField): DecimalDigits | undefined {
  return field.kind === 'value' && field.type.kind === 'text' ? field.type.digits : undefined
}

/** Does the index refuse values only, and serves no order? */
export function isUniqueSet({ isUnique, keys, where }: RelationalIndex): boolean {
  return isUnique && (keys.length > 1 || where.length > 0)
}

/** The join table of a to-many relation. */
export interface RelationalJoinTable {
  readonly field: ToManyField
  readonly table: TableName
  readonly owner: string
  readonly target: string
  /** The names of the foreign keys to the items of both sides. */
  readonly ownerKey: string
  readonly targetKey: string
}

/**
 * The column behind the version of an item: one that the model names; one with a random value for
 * each write of the store, which the version is computed with; or none, if items have no version.
 */
export type VersionColumn =
  | { readonly kind: 'named' | 'random'; readonly column: string }
  | { readonly kind: 'none' }

/** No field can have a column of this name. */
export const randomVersionColumn = '_version'

/** The tables of a model: names, columns, indexes. */
export interface RelationalLayout {
  readonly model: ModelDescription
  readonly table: TableName
  /** The columns that make the id, in its order. Fields may have them too. */
  readonly key: readonly string[]
  readonly columns: readonly RelationalColumn[]
  readonly indexes: readonly RelationalIndex[]
  readonly exclusions: readonly RelationalExclusion[]
  readonly joinTables: readonly RelationalJoinTable[]
  readonly version: VersionColumn
  /** The name of the primary key of a new table. */
  readonly primaryKey: string
}

/** The column of a field of the model. */
export function columnOf({ columns }: RelationalLayout, field: ColumnField): RelationalColumn {
  return columns.find((column) => column.field === field)!
}

/** All tables of models. */
export function tablesOf(layouts: readonly RelationalLayout[]): readonly TableName[] {
  return layouts.flatMap(({ table, joinTables }) => [
    table,
    ...joinTables.map((joinTable) => joinTable.table),
  ])
}

/** @throws RegistrationError if two fields would have one column */
export function relationalLayout(model: ModelDescription, maxNameBytes: number): RelationalLayout {
  const { storage, hashField } = model
  refuseRelationsOfSeveralColumns(model)
  const table = { ...storage.table, name: shortName(storage.table.name, maxNameBytes) }
  const columns = [
    ...model.valueFields.map(valueColumn),
    ...model.ownedRelations.filter((field) => field.kind === 'toOne').map(relationColumn),
    ...model.resourceFields.map(resourceColumn),
  ].map((column) => ({ ...column, name: shortName(column.name, maxNameBytes) }))
  refuseSharedNames(model, columns)
  const indexes = indexesOf(model, table.name, columns, maxNameBytes)
  refuseSharedIndexNames(model, indexes)
  const joinTables = model.ownedRelations.flatMap((field) => joinTableOf(field, maxNameBytes))
  return {
    model,
    table,
    key: storage.key,
    columns,
    indexes,
    exclusions: exclusionsOf(model, table.name, columns, maxNameBytes),
    joinTables,
    version: versionColumnOf(hashField),
    primaryKey: shortName(`${table.name}_pkey`, maxNameBytes),
  }
}

function versionColumnOf(hashField: HashField | undefined): VersionColumn {
  if (!hashField) return { kind: 'none' }
  const { storage } = hashField
  return storage.kind === 'column'
    ? { kind: 'named', column: storage.column }
    : { kind: 'random', column: randomVersionColumn }
}

export function foreignKeyName(table: string, column: string, maxNameBytes: number): string {
  return shortName(`${table}_${column}_fkey`, maxNameBytes)
}

function valueColumn(field: ValueField): RelationalColumn {
  const canBeNull = admitsNull(field.output)
  const isRequired = field.isRequiredInResponse && !canBeNull
  return {
    field,
    name: field.storage.column,
    type: columnTypeOf(field),
    isRequired,
    nullValue: field.isRequiredInResponse || (field.allowsMissing && canBeNull) ? null : undefined,
  }
}

function relationColumn(field: ToOneField): RelationalColumn {
  return {
    field,
    name: field.storage.column,
    type: columnTypeOf(field),
    isRequired: isRequiredRelation(field),
    nullValue: null,
  }
}

function resourceColumn(field: ResourceField): RelationalColumn {
  return {
    field,
    name: field.storage.column,
    type: 'json',
    isRequired: false,
    nullValue: null,
  }
}

function joinTableOf(field: OwnedRelation, maxNameBytes: number): readonly RelationalJoinTable[] {
  if (field.kind !== 'toMany') return []
  const { table, owner, target } = field.storage
  const name = shortName(table.name, maxNameBytes)
  return [
    {
      field,
      table: { ...table, name },
      owner: shortName(owner, maxNameBytes),
      target: shortName(target, maxNameBytes),
      ownerKey: foreignKeyName(name, owner, maxNameBytes),
      targetKey: foreignKeyName(name, target, maxNameBytes),
    },
  ]
}

/** A relation is one column, or a join table with one column for each side. */
function refuseRelationsOfSeveralColumns(model: ModelDescription): void {
  for (const field of model.ownedRelations) {
    const models = field.kind === 'toOne' ? [field.relatedModel] : [model, field.relatedModel]
    const composite = models.find(({ storage }) => storage.key.length > 1)
    if (composite === undefined) continue
    const advice =
      field.kind === 'toOne'
        ? 'Remove the relation, and declare its columns as fields.'
        : 'Make a model of the join table, with a relation to each side.'
    throw new RegistrationError(
      `The relation '${field.name}' of the model '${model.name}' cannot hold ids of the model '${composite.name}', whose key has ${composite.storage.key.length} columns. ${advice}`,
    )
  }
}

function refuseSharedNames(model: ModelDescription, columns: readonly RelationalColumn[]): void {
  const names = new Map<string, string>()
  for (const { name, field } of columns) {
    const other = names.get(name)
    if (other !== undefined)
      throw new RegistrationError(
        `'${other}' and '${field.name}' of the model '${model.name}' would have the same column '${name}'. Give one of them another with { column: '…' }.`,
      )
    names.set(name, field.name)
  }
}

/** An index that another one has the name of would not be made, and refuse nothing. */
function refuseSharedIndexNames(
  model: ModelDescription,
  indexes: readonly RelationalIndex[],
): void {
  for (const index of indexes.filter(isUniqueSet)) {
    if (indexes.every(({ name }, position) => name !== index.name || indexes[position] === index))
      continue
    throw new RegistrationError(
      `Two indexes of the model '${model.name}' would have the same name '${index.name}'. Give one of the columns another name with { column: '…' }.`,
    )
  }
}

/** An index for each field that declares one, for each to-one relation, and those over several. */
function indexesOf(
  model: ModelDescription,
  table: string,
  columns: readonly RelationalColumn[],
  maxNameBytes: number,
): readonly RelationalIndex[] {
  const columnOf = (field: ColumnField) => columns.find((column) => column.field === field)!
  const declaredFirst = new Set<unknown>(model.indexes.map(({ keys: [first] }) => first?.field))
  const nameOf = (keys: RelationalIndex['keys'], suffix: string) => {
    const parts = keys.map(
      ({ column, direction }) => column.name + (direction === 'desc' ? '_desc' : ''),
    )
    return shortName([table, ...parts, suffix].join('_'), maxNameBytes)
  }
  const single = columns.flatMap((column): RelationalIndex[] => {
    const { field } = column
    const keys = [{ column, direction: 'asc' as const }]
    if (field.kind === 'value' && field.isUnique)
      return [{ name: nameOf(keys, 'key'), isUnique: true, keys, where: [] }]
    const isIndexed =
      field.kind === 'toOne' ? !declaredFirst.has(field) : field.kind === 'value' && field.isIndexed
    return isIndexed ? [{ name: nameOf(keys, 'idx'), isUnique: false, keys, where: [] }] : []
  })
  const declared = model.indexes.map((index): RelationalIndex => {
    const keys = index.keys.map(({ field, direction }) => ({ column: columnOf(field), direction }))
    return { name: nameOf(keys, 'idx'), isUnique: false, keys, where: [] }
  })
  const sets = model.uniqueSets.map(({ fields, where: conditions }): RelationalIndex => {
    const keys = fields.map((field) => ({ column: columnOf(field), direction: 'asc' as const }))
    const where = conditions.map(({ field, value }) => ({ column: columnOf(field), value }))
    // The name tells the condition, so that another one makes another index.
    const suffix = where.length === 0 ? [] : [conditionName(where)]
    return { name: nameOf(keys, [...suffix, 'key'].join('_')), isUnique: true, keys, where }
  })
  return [...single, ...declared, ...sets]
}

function exclusionsOf(
  model: ModelDescription,
  table: string,
  columns: readonly RelationalColumn[],
  maxNameBytes: number,
): readonly RelationalExclusion[] {
  const columnOf = (field: ColumnField) => columns.find((column) => column.field === field)!
  return model.uniqueRanges.map((range) => {
    const where = range.where.map(({ field, value }) => ({ column: columnOf(field), value }))
    const keys = range.fields.map(columnOf)
    const [from, to] = [columnOf(range.from), columnOf(range.to)]
    const parts = [...keys, from, to].map(({ name }) => name)
    const condition = where.length === 0 ? [] : [conditionName(where)]
    const name = shortName([table, ...parts, ...condition, 'excl'].join('_'), maxNameBytes)
    return { name, range, columns: keys, from, to, where }
  })
}

function conditionName(where: RelationalIndex['where']): string {
  const text = JSON.stringify(where.map(({ column, value }) => [column.name, value]))
  return `where_${crc32(text).toString(16).padStart(8, '0')}`
}
