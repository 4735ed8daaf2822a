import { pluralOf, toSnakeCase } from '../../model/naming.ts'
import type { ColumnSchema, ForeignKeySchema, TableSchema } from '../../store/read-database.ts'
import { fieldNames, wireComment } from './field-names.ts'
import { isKeyOf, isSameTable, type LinkTable, nameText } from './item-tables.ts'
import { leftToDatabase } from './left-to-database.ts'
import { addMember, type ModelDraft } from './model-draft.ts'
import { memberName, toCamelCase, withoutId } from './names.ts'
import { objectText, quoted } from './source-text.ts'

export function relatedDraft(
  reference: ForeignKeySchema,
  drafts: readonly ModelDraft[],
): ModelDraft | undefined {
  return drafts.find(
    ({ item }) =>
      isSameTable(item.table, reference.target) && isKeyOf(item, reference.targetColumns[0]),
  )
}

const deletions = {
  noAction: 'restrict',
  restrict: 'restrict',
  cascade: 'cascade',
  setNull: 'set-null',
  setDefault: 'restrict',
} as const satisfies Record<ForeignKeySchema['onDelete'], string>

/** A foreign key as a relation. */
export function addToOne(
  draft: ModelDraft,
  column: ColumnSchema,
  reference: ForeignKeySchema,
  related: ModelDraft,
  inverses: (() => void)[],
): void {
  const names = fieldNames(draft, [withoutId(column.name), column.name, related.name])
  const { name, wire } = names
  const derived = toSnakeCase(wire ?? name)
  const options: [string, string][] = []
  if (wire !== undefined) options.push(['wire', quoted(wire)])
  if (column.isNullable) options.push(['optional', 'true'])
  if ((derived.endsWith('_id') ? derived : `${derived}_id`) !== column.name)
    options.push(['column', quoted(column.name)])
  // A relation that may not be null cannot be cleared.
  const onDelete = deletions[reference.onDelete]
  if (draft.item.kind === 'writable')
    options.push([
      'onDelete',
      quoted(onDelete === 'set-null' && !column.isNullable ? 'restrict' : onDelete),
    ])
  if (column.comment !== undefined) options.push(['description', quoted(column.comment)])
  const text =
    options.length === 0
      ? `toOne(${quoted(related.name)})`
      : `toOne(${quoted(related.name)}, ${objectText(options)})`
  addMember(draft, { name, text, uses: 'toOne', comment: wireComment(names) }, column.name)
  const isOfColumn = ({ columns }: { readonly columns: readonly string[] }) =>
    columns.length === 1 && columns[0] === column.name
  // A relation has no limits.
  for (const check of draft.item.table.checks.filter(isOfColumn))
    draft.notes.push(leftToDatabase(check.name))
  inverses.push(() => addInverse(related, draft, name))
}

/** The relation has the name of the column of its targets. */
export function addLink(
  link: LinkTable,
  drafts: readonly ModelDraft[],
  inverses: (() => void)[],
): void {
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

/** Named after the owner, and after the relation if another one has that name. */
function addInverse(related: ModelDraft, owner: ModelDraft, relation: string): void {
  const { plural } = owner
  const specific = `${plural} by ${toSnakeCase(relation)}`
  const candidates = related === owner ? [specific] : [plural, specific]
  const name = memberName(candidates, related.memberNames)
  const text = `toMany(${quoted(owner.name)}, ${objectText([['inverse', quoted(relation)]])})`
  addMember(related, { name, text, uses: 'toMany' })
}
