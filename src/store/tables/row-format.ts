import type { OwnedRelation, ValueField } from '../../model/model-description.ts'
import type { ResourceField } from '../../model/resource-field.ts'
import { isShown, memberPrefix } from '../../stored-item/create-stored-item.ts'
import type { ResourceWriter } from '../../stored-item/item-resources.ts'
import { textLiteral } from '../sql/text-literal.ts'
import type { ColumnCodec } from './column-type.ts'
import { columnWriter } from './column-writer.ts'
import type { ColumnField, RelationalLayout, VersionColumn } from './relational-layout.ts'
import { readResources } from './resource-values.ts'

/** The columns of a table, and how they are read. */
export interface TableColumns {
  readonly layout: RelationalLayout
  codecOf(field: ColumnField): ColumnCodec
  /** The quoted column of a field, in the row with this alias. */
  columnSql(field: ColumnField, alias: string): string
  /** A query for the ids of a to-many relation as JSON, for the row with this alias. */
  targetsSql(relation: OwnedRelation, alias: string): string
  readonly version: VersionColumn
}

/**
 * A piece of the text of an item, in a cell of its row: a run of members as the database wrote
 * them, with their names, or the value of one member.
 */
export interface Segment {
  /** The index of the cell in the row. */
  readonly index: number
  /** Does it belong to the text that clients see? */
  readonly isShown: boolean
  /** What stands in front of the value; empty for a run. */
  readonly prefix: string
  /** The JSON of a cell that is NULL; undefined if the item has no such member then. */
  readonly whenNull: string | undefined
  /** Writes the value of a cell as JSON; undefined where it is JSON. */
  readonly write: ((raw: unknown) => string) | undefined
  /** The same for values with binary resources. */
  readonly writeResources: ((raw: unknown, writer: ResourceWriter) => string) | undefined
}

/** A relation in a run of relations. */
export interface RelationInRun {
  readonly field: OwnedRelation
  /** What stands in front of its linkage. */
  readonly key: string
}

/** Where the linkage of a relation is. */
interface RelationCell {
  readonly index: number
  /** Undefined where the cell holds nothing else. */
  readonly inRun: RelationInRun | undefined
}

/** How a row holds an item: its id, these cells, then its version. */
export interface RowFormat {
  readonly segments: readonly Segment[]
  /** The indexes of the first segment of relations, and of the first of resources. */
  readonly relationsStart: number
  readonly resourcesStart: number
  /** By the names of relations, because each router has fields of its own for a model. */
  readonly relationCells: ReadonlyMap<string, RelationCell>
  /** What is selected in the cells, from the row with this alias. */
  expressions(alias: string): readonly string[]
  readonly cellCount: number
  /**
   * The members in each of the texts of an item as the database writes them, from the row with this
   * alias. Undefined where it cannot write all of them, or only in an order of its own.
   */
  readonly texts:
    | ((alias: string) => { readonly shown: string; readonly hidden: string })
    | undefined
}

/**
 * A shorter run saves less than it costs. PostgreSQL computes an expression before it sorts all
 * rows, and not only for the page that it returns, unless the expression has more than ten
 * operators; so many values have them.
 */
const minRunLength = 4

/** One member of an item, as it can be read. */
interface Member {
  readonly isShown: boolean
  readonly prefix: string
  readonly whenNull: string | undefined
  readonly write: Segment['write']
  readonly writeResources: Segment['writeResources']
  /** The cell of the member alone. */
  select(alias: string): string
  /** The value as JSON; undefined where only JavaScript can write it. */
  readonly json: ((alias: string) => string) | undefined
  /** Does reading it take a query? Then it is computed for the rows of the page only. */
  readonly isQuery: boolean
  readonly relation?: OwnedRelation
}

interface Cell {
  readonly members: readonly Member[]
  readonly isRun: boolean
}

/** Decides, once for a table, which members the database writes. */
export function rowFormat(source: TableColumns): RowFormat {
  const { model } = source.layout
  const members = [
    model.valueFields.map((field) => valueMember(source, field)),
    model.ownedRelations.map((field) => relationMember(source, field)),
    model.resourceFields.map((field) => resourceMember(source, field)),
  ]
  const parts = members.map(cellsOf)
  const cells = parts.flat()
  const [values, relations] = parts
  return {
    segments: cells.map(segmentOf),
    relationsStart: values!.length,
    resourcesStart: values!.length + relations!.length,
    relationCells: relationCellsOf(cells),
    expressions: (alias) => cells.map((cell) => cellSql(cell, alias)),
    cellCount: cells.length,
    texts: textsOf(members.flat()),
  }
}

function textsOf(members: readonly Member[]): RowFormat['texts'] {
  if (members.some(({ json, isQuery }) => json === undefined || isQuery)) return undefined
  const [shown, hidden] = [true, false].map((isShown) =>
    members.filter((member) => member.isShown === isShown),
  )
  const textOf = (some: readonly Member[], alias: string): string =>
    some.length === 0 ? "''" : concatenated(some.map((member) => memberSql(member, alias)))
  return (alias) => ({ shown: textOf(shown!, alias), hidden: textOf(hidden!, alias) })
}

/** The first cell of a row is the id. */
const firstIndex = 1

function segmentOf({ members, isRun }: Cell, position: number): Segment {
  const [member] = members
  const index = firstIndex + position
  if (!isRun) return { ...member!, index }
  const { isShown } = member!
  const nothing = { whenNull: undefined, write: undefined, writeResources: undefined }
  return { index, isShown, prefix: '', ...nothing }
}

/** Members that follow each other in one of both texts are a run. */
function cellsOf(members: readonly Member[]): readonly Cell[] {
  const runs: Member[][] = []
  const open = new Map<boolean, Member[]>()
  for (const member of members) {
    const run = open.get(member.isShown)
    if (run && member.json) run.push(member)
    else {
      const started = [member]
      runs.push(started)
      if (member.json) open.set(member.isShown, started)
      else open.delete(member.isShown)
    }
  }
  return runs.flatMap((run): readonly Cell[] =>
    isWorthwhile(run)
      ? [{ members: run, isRun: true }]
      : run.map((member) => ({ members: [member], isRun: false })),
  )
}

function isWorthwhile(run: readonly Member[]): boolean {
  return run.length >= minRunLength || (run.length > 1 && run.some(({ isQuery }) => isQuery))
}

function cellSql({ members, isRun }: Cell, alias: string): string {
  return isRun
    ? concatenated(members.map((member) => memberSql(member, alias)))
    : members[0]!.select(alias)
}

/** A member with its name, as text. */
function memberSql({ prefix, whenNull, json }: Member, alias: string): string {
  const value = json!(alias)
  const name = textLiteral(prefix)
  return whenNull === undefined
    ? `coalesce(${name} || ${value}, '')`
    : `(${name} || coalesce(${value}, ${textLiteral(whenNull)}))`
}

/** In halves: `||` copies its operands, so a long text would be copied for each member after it. */
function concatenated(parts: readonly string[]): string {
  if (parts.length === 1) return parts[0]!
  const middle = Math.ceil(parts.length / 2)
  return `(${concatenated(parts.slice(0, middle))} || ${concatenated(parts.slice(middle))})`
}

function relationCellsOf(cells: readonly Cell[]): ReadonlyMap<string, RelationCell> {
  return new Map(
    cells.flatMap(({ members, isRun }, position) =>
      members.flatMap(({ relation, prefix }): readonly (readonly [string, RelationCell])[] => {
        if (!relation) return []
        const inRun = isRun ? { field: relation, key: prefix } : undefined
        return [[relation.name, { index: firstIndex + position, inRun }]]
      }),
    ),
  )
}

function valueMember(source: TableColumns, field: ValueField): Member {
  const codec = source.codecOf(field)
  const { nestedResources } = field
  const writeJson = columnWriter(codec, field.type)
  const member = columnMember(source, field, isShown(field))
  if (!nestedResources) return { ...member, write: writeJson, json: jsonOf(source, field) }
  return {
    ...member,
    writeResources: (raw, writer) => {
      const value = readResources(field, JSON.parse(writeJson(raw)))
      return writer.writeValue(nestedResources, value, field.wireName)
    },
  }
}

function relationMember(source: TableColumns, field: OwnedRelation): Member {
  // A version that is a column is computed with each relation by itself.
  const isAlone = source.version.kind === 'named'
  if (field.kind === 'toOne') {
    const codec = source.codecOf(field)
    const write = (raw: unknown) => JSON.stringify(codec.decode(raw))
    const json = isAlone ? undefined : jsonOf(source, field)
    return { ...columnMember(source, field, true), write, json, relation: field }
  }
  const select = (alias: string) => source.targetsSql(field, alias)
  return {
    isShown: true,
    prefix: memberPrefix(field),
    whenNull: '[]',
    write: undefined,
    writeResources: undefined,
    select,
    json: isAlone ? undefined : select,
    isQuery: true,
    relation: field,
  }
}

function resourceMember(source: TableColumns, field: ResourceField): Member {
  const codec = source.codecOf(field)
  return {
    ...columnMember(source, field, isShown(field)),
    writeResources: (raw, writer) =>
      writer.writeResource(readResources(field, codec.decode(raw)), field.wireName),
  }
}

function columnMember(
  { layout, codecOf, columnSql }: TableColumns,
  field: ColumnField,
  isShown: boolean,
): Member {
  const { nullValue } = layout.columns.find((column) => column.field === field)!
  const codec = codecOf(field)
  return {
    isShown,
    prefix: memberPrefix(field),
    whenNull: nullValue === null ? 'null' : undefined,
    write: undefined,
    writeResources: undefined,
    select: (alias) => codec.select(columnSql(field, alias)),
    json: undefined,
    isQuery: false,
  }
}

function jsonOf({ codecOf, columnSql }: TableColumns, field: ColumnField): Member['json'] {
  const codec = codecOf(field)
  return codec.json && ((alias) => codec.json!(columnSql(field, alias)))
}
