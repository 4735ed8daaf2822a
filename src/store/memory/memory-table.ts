import type { ModelDescription, ValueField } from '../../model/model-description.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import type { WriteOutcome } from '../store.ts'
import { nothingToReplace } from '../store-errors.ts'
import { comparisonKey } from './evaluate.ts'
import { overlay } from './overlay.ts'

/** An item and its values, so that conditions need not parse its text again. */
export interface TableEntry {
  readonly item: StoredItem
  readonly values: StoredValues
}

/** The committed items of one model, and an index of its unique fields. */
export interface MemoryTable {
  readonly model: ModelDescription
  readonly entries: Map<string, TableEntry>
  readonly idsByUniqueValue: ReadonlyMap<string, Map<unknown, string>>
}

/** The reading methods of a table, or of a table with uncommitted changes. */
export interface TableView {
  get(id: string): TableEntry | undefined
  values(): Iterable<TableEntry>
}

export interface TableChanges extends TableView {
  insert(item: StoredItem): WriteOutcome
  replace(item: StoredItem): WriteOutcome
  remove(id: string): void
  commit(): void
}

export function memoryTable(model: ModelDescription, items: Iterable<StoredItem>): MemoryTable {
  const entries = new Map<string, TableEntry>()
  const idsByUniqueValue = new Map(
    uniqueFields(model).map(({ name }) => [name, new Map<unknown, string>()]),
  )
  for (const item of items) {
    const values = readStoredValues(model, item)
    entries.set(item.id, { item, values })
    for (const [name, value] of uniqueValues(model, values))
      idsByUniqueValue.get(name)!.set(value, item.id)
  }
  return { model, entries, idsByUniqueValue }
}

/**
 * Changes that are invisible to others until they are committed. The table must not change
 * otherwise until then.
 */
export function startChanges({
  model,
  entries: committed,
  idsByUniqueValue: committedIds,
}: MemoryTable): TableChanges {
  const entries = overlay(committed)
  const idsByUniqueValue = new Map([...committedIds].map(([name, ids]) => [name, overlay(ids)]))

  const write = (item: StoredItem, previous: TableEntry | undefined): WriteOutcome => {
    const values = readStoredValues(model, item)
    const unique = uniqueValues(model, values)
    for (const [name, value] of unique) {
      const id = idsByUniqueValue.get(name)!.get(value)
      if (id !== undefined && id !== item.id) return { kind: 'taken', field: name }
    }
    if (previous) releaseUniqueValues(previous)
    for (const [name, value] of unique) idsByUniqueValue.get(name)!.set(value, item.id)
    entries.set(item.id, { item, values })
    return { kind: 'written', item }
  }
  const releaseUniqueValues = (entry: TableEntry): void => {
    for (const [name, value] of uniqueValues(model, entry.values))
      idsByUniqueValue.get(name)!.delete(value)
  }

  return {
    get: entries.get,
    values: entries.values,
    insert: (item) => (entries.get(item.id) ? { kind: 'exists' } : write(item, undefined)),
    replace(item) {
      const previous = entries.get(item.id)
      if (!previous) throw nothingToReplace(model, item.id)
      return write(item, previous)
    },
    remove(id) {
      const previous = entries.get(id)
      if (!previous) return
      releaseUniqueValues(previous)
      entries.delete(id)
    },
    commit() {
      entries.commit()
      for (const ids of idsByUniqueValue.values()) ids.commit()
    },
  }
}

function uniqueFields(model: ModelDescription): readonly ValueField[] {
  return model.valueFields.filter((field) => field.isUnique)
}

/** Without null, which any number of items may hold. */
function uniqueValues(
  model: ModelDescription,
  values: StoredValues,
): readonly (readonly [string, unknown])[] {
  return uniqueFields(model)
    .map(
      ({ name, type }) =>
        [
          name,
          Object.hasOwn(values, name) ? comparisonKey(type, values[name] as Scalar) : null,
        ] as const,
    )
    .filter(([, value]) => value !== null)
}
