import type { ModelDescription } from '../../model/model-description.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { keepUndeclaredMembers } from '../../stored-item/undeclared-members.ts'
import { nothingToReplace } from '../store-errors.ts'
import type { WriteOutcome } from '../store-transaction.ts'
import { overlay } from './overlay.ts'
import { ReferenceIndex } from './reference-index.ts'
import { duplicateFault, type UniqueRule, uniqueRules } from './unique-rules.ts'

/** An item and its values, so that conditions need not parse its text again. */
export interface TableEntry {
  readonly item: StoredItem
  readonly values: StoredValues
}

/** The committed items of one model, and the items by what is unique of them. */
export interface MemoryTable {
  readonly model: ModelDescription
  readonly entries: Map<string, TableEntry>
  readonly idsByRule: ReadonlyMap<UniqueRule, Map<unknown, string>>
  readonly references: ReferenceIndex
}

/** The reading methods of a table, or of a table with uncommitted changes. */
export interface TableView {
  get(id: string): TableEntry | undefined
  values(): Iterable<TableEntry>
  /** The items whose relation holds this id. */
  referencing(relation: string, id: string): Iterable<TableEntry>
}

/** The committed state of a table. */
export function committedView({ entries, references }: MemoryTable): TableView {
  return {
    get: (id) => entries.get(id),
    values: () => entries.values(),
    *referencing(relation, id) {
      for (const owner of references.ownersOf(relation, id)) yield entries.get(owner)!
    },
  }
}

export interface TableChanges extends TableView {
  insert(item: StoredItem): WriteOutcome
  replace(item: StoredItem): WriteOutcome
  remove(id: string): void
  commit(): void
}

/** @throws RegistrationError if items have the same values where the model has them unique */
export function memoryTable(model: ModelDescription, items: Iterable<StoredItem>): MemoryTable {
  const entries = new Map<string, TableEntry>()
  const idsByRule = new Map(uniqueRules(model).map((rule) => [rule, new Map<unknown, string>()]))
  const references = new ReferenceIndex(model)
  for (const item of items) {
    const values = readStoredValues(model, item)
    entries.set(item.id, { item, values })
    references.add(values)
    for (const [rule, ids] of idsByRule) {
      const key = rule.keyOf(values)
      const other = key === null ? undefined : ids.get(key)
      if (other !== undefined) throw duplicateFault(model, rule, [other, item.id])
      if (key !== null) ids.set(key, item.id)
    }
  }
  return { model, entries, idsByRule, references }
}

/**
 * Changes that are invisible to others until they are committed. The table must not change
 * otherwise until then.
 */
export function startChanges({
  model,
  entries: committed,
  idsByRule: committedIds,
  references: committedReferences,
}: MemoryTable): TableChanges {
  const entries = overlay(committed)
  /** Those of the items that were written. */
  const references = new ReferenceIndex(model)
  const rules = [...committedIds].map(([rule, ids]) => ({ ...rule, ids: overlay(ids) }))

  const write = (item: StoredItem, previous: TableEntry | undefined): WriteOutcome => {
    const values = readStoredValues(model, item)
    const keys = rules.map(({ keyOf }) => keyOf(values))
    for (const [index, { fields, ids }] of rules.entries()) {
      const id = keys[index] === null ? undefined : ids.get(keys[index])
      if (id !== undefined && id !== item.id) return { kind: 'taken', fields }
    }
    if (previous) release(previous)
    for (const [index, { ids }] of rules.entries())
      if (keys[index] !== null) ids.set(keys[index], item.id)
    entries.set(item.id, { item, values })
    references.add(values)
    return { kind: 'written', item }
  }
  const release = (entry: TableEntry): void => {
    references.remove(entry.values)
    for (const { keyOf, ids } of rules) {
      const key = keyOf(entry.values)
      if (key !== null) ids.delete(key)
    }
  }

  return {
    get: entries.get,
    values: entries.values,
    *referencing(relation, id) {
      for (const owner of committedReferences.ownersOf(relation, id)) {
        const entry = committed.get(owner)!
        if (entries.get(owner) === entry) yield entry
      }
      for (const owner of references.ownersOf(relation, id)) yield entries.get(owner)!
    },
    insert: (item) => (entries.get(item.id) ? { kind: 'exists' } : write(item, undefined)),
    replace(item) {
      const previous = entries.get(item.id)
      if (!previous) throw nothingToReplace(model, item.id)
      return write(keepUndeclaredMembers(model, item, previous.item), previous)
    },
    remove(id) {
      const previous = entries.get(id)
      if (!previous) return
      release(previous)
      entries.delete(id)
    },
    commit() {
      for (const id of entries.changedKeys()) {
        const [before, after] = [committed.get(id), entries.get(id)]
        if (before) committedReferences.remove(before.values)
        if (after) committedReferences.add(after.values)
      }
      entries.commit()
      for (const { ids } of rules) ids.commit()
    },
  }
}
