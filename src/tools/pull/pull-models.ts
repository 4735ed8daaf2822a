import { type DatabaseSchema, isUniqueKey } from '../../store/read-database.ts'
import { constraintNotes } from './constraint-notes.ts'
import { addLink, addToOne, relatedDraft } from './draft-relations.ts'
import { toModel } from './draft-to-model.ts'
import { fieldNames } from './field-names.ts'
import { classifyTables, isKeyOf, type PullNote } from './item-tables.ts'
import { addMember, type ModelDraft, modelDraft } from './model-draft.ts'
import { modelNames } from './model-names.ts'
import { pullColumn } from './pull-columns.ts'
import type { PulledModel } from './pulled-model.ts'
import type { TableFacts } from './table-facts.ts'
import type { Holds } from './value-schema.ts'

export interface PulledModels {
  readonly models: readonly PulledModel[]
  readonly notes: readonly PullNote[]
}

/** The models of tables, with what they cannot say. */
export function pullModels(
  { tables }: DatabaseSchema,
  holds: Holds,
  facts: TableFacts,
): PulledModels {
  const { items, links, notes } = classifyTables(tables, holds, facts.objection)
  const names = modelNames(items.map(({ table }) => table))
  const drafts = items.map((item, index) => modelDraft(item, names[index]!))
  const inverses: (() => void)[] = []
  for (const draft of drafts) addColumns(draft, drafts, holds, facts, inverses)
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
  draft: ModelDraft,
  drafts: readonly ModelDraft[],
  holds: Holds,
  facts: TableFacts,
  inverses: (() => void)[],
): void {
  const { table, key } = draft.item
  if (!isUniqueKey(table, key))
    draft.notes.push(
      `Nothing makes the ids in '${key[0]}' unique. Check that they are, or name other columns as the key.`,
    )
  for (const column of table.columns) {
    const reference = table.foreignKeys.find(
      ({ columns }) => columns.length === 1 && columns[0] === column.name,
    )
    const related = reference && relatedDraft(reference, drafts)
    // The id is no field, but it may be a relation.
    if (!related && isKeyOf(draft.item, column.name)) {
      if (reference)
        draft.notes.push(
          `The foreign key of the id does not become a relation: '${reference.target.name}' is not pulled, or not by its key.`,
        )
      continue
    }
    if (reference && related) addToOne(draft, column, reference, related, inverses)
    else {
      if (reference)
        draft.notes.push(
          `The column '${column.name}' is a plain field: it refers to '${reference.target.name}', which is not pulled, or not by its key.`,
        )
      const names = fieldNames(draft, [column.name])
      const { member, notes } = pullColumn(table, column, names, holds, facts)
      draft.notes.push(...notes)
      if (member) addMember(draft, member, column.name)
    }
  }
  draft.notes.push(...constraintNotes(draft))
}
