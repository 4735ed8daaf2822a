import { pluralOf } from '../../model/naming.ts'
import {
  type ColumnSchema,
  findColumn,
  isCodePointOrder,
  keysOf,
  type TableSchema,
  withoutDomains,
} from '../../store/read-database.ts'
import { isKeyOf, nameText } from './item-tables.ts'
import type { ModelDraft } from './model-draft.ts'
import type { PulledModel } from './pulled-model.ts'
import { quoted } from './source-text.ts'
import { uniqueSets } from './unique-sets.ts'

export function toModel(draft: ModelDraft): PulledModel {
  const { item, name, plural, className, file, members, fields, notes } = draft
  const { table, key } = item
  const options: [string, string][] = [['table', quoted(nameText(table))]]
  if (plural !== pluralOf(name)) options.push(['plural', quoted(plural)])
  if (!isKeyOf(item, 'id'))
    options.push(['key', key.length === 1 ? quoted(key[0]!) : `[${key.map(quoted).join(', ')}]`])
  options.push(
    item.kind === 'readOnly' ? ['readOnly', 'true'] : ['ids', quoted(sourceOfIds(draft))],
  )
  if (hasTextOrder(table)) options.push(['order', quoted('database')])
  const indexes = indexesOf(table, fields)
  if (indexes.length > 0) options.push(['indexes', `[${indexes.join(', ')}]`])
  const sets = item.kind === 'readOnly' ? [] : uniqueSets(draft)
  if (sets.length > 0)
    options.push([
      'unique',
      `[${sets.map((names) => `[${names.map(quoted).join(', ')}]`).join(', ')}]`,
    ])
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

/** Would an index of text not serve sorts by code point? */
function hasTextOrder(table: TableSchema): boolean {
  const isText = ({ type }: ColumnSchema) => {
    const base = withoutDomains(type)
    return base.kind === 'base' && /char|text|clob/.test(base.name)
  }
  const texts = table.columns.filter(isText)
  const keys = keysOf(table)
  const isInKey = ({ name }: ColumnSchema) => keys.some((key) => key.columns.includes(name))
  return texts.some(
    (column) =>
      (isInKey(column) && !isCodePointOrder(column.collation)) ||
      table.indexes.some(
        ({ keys, method }) =>
          method === 'btree' &&
          keys.some((key) => key.column === column.name && !isCodePointOrder(key.collation)),
      ),
  )
}

/** Ids that a client makes could be of another type, or contradict the fields of the key. */
function sourceOfIds({ item, fields }: ModelDraft): 'server' | 'client' {
  const isMade = item.key.every((name) => {
    const { generated, default: value } = findColumn(item.table, name)!
    return fields.has(name) || generated !== 'never' || value !== undefined
  })
  return isMade ? 'server' : 'client'
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
