import type { ModelDescription, ValueField } from '../../model/model-description.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import type { WriteOutcome } from '../store.ts'
import { comparisonKey } from './evaluate.ts'
import { overlay } from './overlay.ts'

/** An item beside what its text says, so that conditions do not parse it again and again. */
export interface TableEntry {
  readonly item: StoredItem
  readonly values: StoredValues
}

/** The committed items of one model, and which of them holds which value of its unique fields. */
export interface MemoryTable {
  readonly model: ModelDescription
  readonly entries: Map<string, TableEntry>
  readonly idsByUniqueValue: ReadonlyMap<string, Map<unknown, string>>
}

/** What reads need of a table, whether it is committed or being changed. */
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
  const holders = new Map(uniqueFields(model).map(({ name }) => [name, new Map<unknown, string>()]))
  for (const item of items) {
    const values = readStoredValues(model, item)
    entries.set(item.id, { item, values })
    for (const [name, value] of uniqueValues(model, values)) holders.get(name)!.set(value, item.id)
  }
  return { model, entries, idsByUniqueValue: holders }
}

/**
 * Changes that nobody else sees before they are committed. The table must not change otherwise
 * meanwhile.
 */
export function startChanges({
  model,
  entries: committed,
  idsByUniqueValue: committedHolders,
}: MemoryTable): TableChanges {
  const entries = overlay(committed)
  const holders = new Map([...committedHolders].map(([name, ids]) => [name, overlay(ids)]))

  const write = (item: StoredItem, previous: TableEntry | undefined): WriteOutcome => {
    const values = readStoredValues(model, item)
    const held = uniqueValues(model, values)
    for (const [name, value] of held) {
      const holder = holders.get(name)!.get(value)
      if (holder !== undefined && holder !== item.id) return { kind: 'taken', field: name }
    }
    if (previous) release(previous)
    for (const [name, value] of held) holders.get(name)!.set(value, item.id)
    entries.set(item.id, { item, values })
    return { kind: 'written' }
  }
  const release = (entry: TableEntry): void => {
    for (const [name, value] of uniqueValues(model, entry.values)) holders.get(name)!.delete(value)
  }

  return {
    get: entries.get,
    values: entries.values,
    insert: (item) => (entries.get(item.id) ? { kind: 'exists' } : write(item, undefined)),
    replace(item) {
      const previous = entries.get(item.id)
      if (!previous)
        throw new Error(`There is no '${model.name}' with the id '${item.id}' to write over.`)
      return write(item, previous)
    },
    remove(id) {
      const previous = entries.get(id)
      if (!previous) return
      release(previous)
      entries.delete(id)
    },
    commit() {
      entries.commit()
      for (const ids of holders.values()) ids.commit()
    },
  }
}

function uniqueFields(model: ModelDescription): readonly ValueField[] {
  return model.valueFields.filter((field) => field.isUnique)
}

/** Null does not count, so that any number of items may hold it. */
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
