import { pluralOf, toSnakeCase } from '../model/naming.ts'
import {
  type ColumnSchema,
  type DatabaseSchema,
  type ForeignKeySchema,
  findColumn,
  type KeySchema,
  type TableSchema,
} from '../store/tables/schema/database-schema.ts'
import {
  classifyTables,
  type ItemTable,
  isSameTable,
  type LinkTable,
  nameText,
  type PullNote,
} from './item-tables.ts'
import { type ModelNames, modelNames } from './model-names.ts'
import { memberName, toCamelCase } from './names.ts'
import { leftToDatabase, pullColumn } from './pull-columns.ts'
import type { PulledMember, PulledModel } from './pulled-model.ts'
import { objectText, quoted } from './source-text.ts'
import type { Holds } from './value-schema.ts'

export interface PulledModels {
  readonly models: readonly PulledModel[]
  readonly notes: readonly PullNote[]
}

/** A model under construction. */
interface Draft extends ModelNames {
  readonly item: ItemTable
  readonly members: PulledMember[]
  readonly memberNames: Set<string>
  /** The fields of columns, for indexes. */
  readonly fields: Map<string, string>
  readonly notes: string[]
}

/** The models of tables, with what they cannot say. */
export function pullModels({ tables }: DatabaseSchema, holds: Holds): PulledModels {
  const { items, links, notes } = classifyTables(tables, holds)
  const names = modelNames(items.map(({ table }) => table))
  const drafts = items.map(
    (item, index): Draft => ({
      ...names[index]!,
      item,
      members: [],
      memberNames: new Set(),
      fields: new Map(),
      notes: [],
    }),
  )
  const inverses: (() => void)[] = []
  for (const draft of drafts) addColumns(draft, drafts, holds, inverses)
  for (const link of links) addLink(link, drafts, inverses)
  // The names of what a table has itself come first.
  for (const addInverse of inverses) addInverse()
  const models = drafts.map(toModel)
  return {
    models,
    notes: [
      ...notes,
      ...models.flatMap((model) => model.notes.map((text) => ({ model: model.name, text }))),
    ],
  }
}

function addColumns(
  draft: Draft,
  drafts: readonly Draft[],
  holds: Holds,
  inverses: (() => void)[],
): void {
  const { table, key } = draft.item
  for (const column of table.columns) {
    if (column.name === key) continue
    const reference = table.foreignKeys.find(
      ({ columns }) => columns.length === 1 && columns[0] === column.name,
    )
    const related = reference && relatedDraft(reference, drafts)
    if (reference && related) addToOne(draft, column, reference, related, inverses)
    else {
      if (reference)
        draft.notes.push(
          `The column '${column.name}' is a plain field: it refers to '${reference.target.name}', which is not pulled, or not by its key.`,
        )
      const name = memberName([column.name], draft.memberNames)
      const { member, notes } = pullColumn(table, column, name, holds)
      draft.notes.push(...notes)
      if (member) addMember(draft, member, column.name)
    }
  }
  for (const { columns, target } of table.foreignKeys) {
    if (columns.length > 1)
      draft.notes.push(
        `The foreign key over ${columns.join(', ')} to '${target.name}' does not become a relation: a relation has one column.`,
      )
    else if (columns[0] === key)
      draft.notes.push(
        `The foreign key of the id to '${target.name}' does not become a relation: the id is not a field.`,
      )
  }
  const ofSeveral = table.checks.filter(({ columns }) => columns.length !== 1)
  const ofKey = table.checks.filter(({ columns }) => columns.length === 1 && columns[0] === key)
  const uniques = table.uniqueKeys.filter(({ columns }) => columns.length > 1)
  for (const { name } of [...ofSeveral, ...ofKey, ...table.exclusions])
    draft.notes.push(leftToDatabase(name))
  for (const key of uniques) draft.notes.push(leftToDatabase(uniqueText(key)))
  for (const { name, isUnique, predicate, keys } of table.indexes)
    if (isUnique || predicate !== undefined || keys.some(({ column }) => column === undefined))
      draft.notes.push(
        isUnique
          ? leftToDatabase(name)
          : `The index '${name}' is not named: it is partial, or over an expression.`,
      )
}

/** SQLite numbers the constraints that have no name. */
function uniqueText({ name, columns }: KeySchema): string {
  return name.startsWith('sqlite_autoindex_') ? `unique (${columns.join(', ')})` : name
}

/** `author_id` and `authorId` become `author`. */
function withoutId(column: string): string {
  return column.replace(/(?:_id|Id|ID)$/, '') || column
}

function relatedDraft(reference: ForeignKeySchema, drafts: readonly Draft[]): Draft | undefined {
  return drafts.find(
    ({ item }) =>
      isSameTable(item.table, reference.target) && item.key === reference.targetColumns[0],
  )
}

const deletions = {
  noAction: 'restrict',
  restrict: 'restrict',
  cascade: 'cascade',
  setNull: 'set-null',
  setDefault: 'restrict',
} as const satisfies Record<ForeignKeySchema['onDelete'], string>

function addToOne(
  draft: Draft,
  column: ColumnSchema,
  reference: ForeignKeySchema,
  related: Draft,
  inverses: (() => void)[],
): void {
  const name = memberName([withoutId(column.name), column.name], draft.memberNames)
  const derived = toSnakeCase(name)
  const options: [string, string][] = []
  if (column.isNullable) options.push(['optional', 'true'])
  if ((derived.endsWith('_id') ? derived : `${derived}_id`) !== column.name)
    options.push(['column', quoted(column.name)])
  // A relation that may not be null cannot be cleared.
  const onDelete = deletions[reference.onDelete]
  options.push([
    'onDelete',
    quoted(onDelete === 'set-null' && !column.isNullable ? 'restrict' : onDelete),
  ])
  if (column.comment !== undefined) options.push(['description', quoted(column.comment)])
  const text = `toOne(${quoted(related.name)}, ${objectText(options)})`
  addMember(draft, { name, text, uses: 'toOne' }, column.name)
  const isOfColumn = ({ columns }: { readonly columns: readonly string[] }) =>
    columns.length === 1 && columns[0] === column.name
  // A relation has no limits, and no option 'unique'.
  for (const check of draft.item.table.checks.filter(isOfColumn))
    draft.notes.push(leftToDatabase(check.name))
  for (const key of draft.item.table.uniqueKeys.filter(isOfColumn))
    draft.notes.push(leftToDatabase(uniqueText(key)))
  inverses.push(() => addInverse(related, draft, name))
}

/** Named after the owner, and after the relation if another one has that name. */
function addInverse(related: Draft, owner: Draft, relation: string): void {
  const { plural } = owner
  const specific = `${plural} by ${toSnakeCase(relation)}`
  const candidates = related === owner ? [specific] : [plural, specific]
  const name = memberName(candidates, related.memberNames)
  const text = `toMany(${quoted(owner.name)}, ${objectText([['inverse', quoted(relation)]])})`
  addMember(related, { name, text, uses: 'toMany' })
}

/** The relation has the name of the column of its targets. */
function addLink(link: LinkTable, drafts: readonly Draft[], inverses: (() => void)[]): void {
  const draftOf = (table: TableSchema) => drafts.find(({ item }) => isSameTable(item.table, table))!
  const [owner, target] = [draftOf(link.owner.table), draftOf(link.target.table)]
  const targets = pluralOf(toCamelCase(withoutId(link.target.column)))
  const name = memberName([targets, `${link.table.name} ${targets}`], owner.memberNames)
  const through = objectText([
    ['table', quoted(nameText(link.table))],
    ['owner', quoted(link.owner.column)],
    ['target', quoted(link.target.column)],
  ])
  const text = `toMany(${quoted(target.name)}, ${objectText([['through', through]])})`
  addMember(owner, { name, text, uses: 'toMany' })
  inverses.push(() => addInverse(target, owner, name))
  const others = link.table.columns
    .map((column) => column.name)
    .filter((column) => column !== link.owner.column && column !== link.target.column)
  if (others.length > 0)
    owner.notes.push(
      `The columns ${others.join(', ')} of '${link.table.name}' are not served: a relation holds ids only.`,
    )
}

function addMember(draft: Draft, member: PulledMember, column?: string): void {
  draft.members.push(member)
  draft.memberNames.add(member.name)
  if (column !== undefined) draft.fields.set(column, member.name)
}

function toModel(draft: Draft): PulledModel {
  const { item, name, plural, className, file, members, fields, notes } = draft
  const { table, key } = item
  const keyColumn = findColumn(table, key)!
  const options: [string, string][] = [['table', quoted(nameText(table))]]
  if (plural !== pluralOf(name)) options.push(['plural', quoted(plural)])
  if (key !== 'id') options.push(['key', quoted(key)])
  // Ids that a client makes could be of another type.
  const isMadeByDatabase = keyColumn.generated !== 'never' || keyColumn.default !== undefined
  options.push(['ids', quoted(isMadeByDatabase ? 'server' : 'client')])
  const indexes = indexesOf(table, fields)
  if (indexes.length > 0) options.push(['indexes', `[${indexes.join(', ')}]`])
  if (table.comment !== undefined) options.push(['description', quoted(table.comment)])
  return {
    name,
    className,
    file,
    description: table.comment,
    members: [...members, { name: 'hash', text: 'hash()', uses: 'hash' }],
    options,
    notes,
  }
}

/** The indexes over several columns that have fields which can be sorted by. */
function indexesOf(
  { indexes }: TableSchema,
  fields: ReadonlyMap<string, string>,
): readonly string[] {
  return indexes.flatMap(({ keys, predicate, isValid, method, isUnique }) => {
    if (keys.length < 2 || predicate !== undefined || !isValid || isUnique || method !== 'btree')
      return []
    const names = keys.map(({ column, direction }) => {
      const field = column === undefined ? undefined : fields.get(column)
      return field === undefined ? undefined : quoted((direction === 'desc' ? '-' : '') + field)
    })
    return names.includes(undefined) ? [] : [`[${names.join(', ')}]`]
  })
}
