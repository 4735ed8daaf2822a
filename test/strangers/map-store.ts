import {
  allItemsPlan,
  type Condition,
  executePlan,
  type ItemSource,
  itemGroups,
  itemSource,
  type ManyRelation,
  type ModelDescription,
  matcherOf,
  migrateItem,
  modelNotOpened,
  nothingToReplace,
  type PositionedItem,
  type QueryPlan,
  readStoredValues,
  type Scalar,
  type Store,
  type StoreCall,
  type StoredItem,
  type StoreReader,
  type StoreTransaction,
  type TableEntry,
  TimeSlice,
  toFieldPath,
  transactionEnded,
  type WriteOutcome,
  yieldToEventLoop,
} from 'resourcery/store'

/** The items of one model, by id. */
type Table = Map<string, TableEntry>

const batchSize = 100

/** A store over `Map`s, written with the public names of the package alone. */
export function mapStore(): Store {
  const committed = new Map<string, Table>()
  let last: Promise<unknown> = Promise.resolve()

  const tableOf = (model: ModelDescription): Table => {
    const table = committed.get(model.name)
    if (!table) throw modelNotOpened(model)
    return table
  }

  /** One transaction at a time, so that each sees the writes of those before it. */
  const runNext = <T>(run: () => Promise<T>): Promise<T> => {
    const result = last.then(run)
    last = result.catch(() => undefined)
    return result
  }

  const runTransaction = async <T>(
    work: (transaction: StoreTransaction) => Promise<T>,
  ): Promise<T> => {
    const changed = new Map<string, Table>()
    let hasEnded = false
    const changedOrCommitted = (model: ModelDescription): Table => {
      if (hasEnded) throw transactionEnded()
      return changed.get(model.name) ?? tableOf(model)
    }
    const copyOf = (model: ModelDescription): Table => {
      const copy = changed.get(model.name) ?? new Map(changedOrCommitted(model))
      changed.set(model.name, copy)
      return copy
    }
    const result = await work({
      ...readerOf(changedOrCommitted),
      async insert(model, item) {
        if (changedOrCommitted(model).has(item.id)) return { kind: 'exists' }
        return put(model, copyOf(model), item)
      },
      async replace(model, item) {
        if (!changedOrCommitted(model).has(item.id)) throw nothingToReplace(model, item.id)
        return put(model, copyOf(model), item)
      },
      async remove(model, id) {
        if (changedOrCommitted(model).has(id)) copyOf(model).delete(id)
      },
    }).finally(() => {
      hasEnded = true
    })
    for (const [name, table] of changed) committed.set(name, table)
    return result
  }

  return {
    ...readerOf(tableOf),
    open: (models) =>
      runNext(async () => {
        for (const model of models) {
          const table: Table = new Map()
          for (const { item } of committed.get(model.name)?.values() ?? []) {
            const outcome = put(model, table, await migrateItem(model, item))
            if (outcome.kind === 'taken')
              throw new Error(`'${item.id}' has the ${outcome.fields.join(', ')} of another item.`)
          }
          committed.set(model.name, table)
        }
      }),
    write: (work, call) =>
      runNext(async () => {
        call?.signal.throwIfAborted()
        return runTransaction(work)
      }),
    close: () => runNext(async () => {}),
  }
}

/** Writes an item, unless another item has the values that the model has unique. */
function put(model: ModelDescription, table: Table, item: StoredItem): WriteOutcome {
  const values = readStoredValues(model, item)
  const singles = model.valueFields.filter(({ isUnique }) => isUnique)
  const sets = [...singles.map((field) => ({ fields: [field], where: [] })), ...model.uniqueSets]
  for (const { fields, where } of sets) {
    const hasCondition = allEqual(
      model,
      where.map(({ field, value }) => [field.name, value]),
    )
    const parts = fields.map(({ name }) => [name, (values[name] ?? null) as Scalar] as const)
    if (parts.some(([, value]) => value === null) || !hasCondition(values, noRelatedItems)) continue
    const hasValues = allEqual(model, parts)
    for (const other of table.values())
      if (
        other.item.id !== item.id &&
        hasValues(other.values, noRelatedItems) &&
        hasCondition(other.values, noRelatedItems)
      )
        return { kind: 'taken', fields: fields.map(({ name }) => name) }
  }
  table.set(item.id, { item, values })
  return { kind: 'written', item }
}

function allEqual(model: ModelDescription, parts: readonly (readonly [string, Scalar])[]) {
  const conditions = parts.map(
    ([name, value]): Condition => ({
      kind: 'compare',
      path: toFieldPath(name),
      operator: 'equal',
      value,
    }),
  )
  return matcherOf(model, { kind: 'and', conditions })
}

const noRelatedItems: ItemSource = { get: () => undefined, itemsReferencing: () => [] }

function readerOf(tableOf: (model: ModelDescription) => Table): StoreReader {
  const relatedItems = (): ItemSource =>
    itemSource(
      (model, id) => tableOf(model).get(id)?.values,
      (model) => [...tableOf(model).values()].map(({ values }) => values),
    )
  const select = (model: ModelDescription, plan: QueryPlan, call: StoreCall | undefined) =>
    executePlan(model, plan, [...tableOf(model).values()], relatedItems(), new TimeSlice(call))
  return {
    async find(model, condition) {
      const matches = matcherOf(model, condition)
      const source = relatedItems()
      for (const { item, values } of tableOf(model).values())
        if (matches(values, source)) return item
      return undefined
    },
    async *list(model, plan, call) {
      const items = (await select(model, plan, call)).map(({ item }) => item)
      for (let start = 0; start < items.length; start += batchSize) {
        if (start > 0) await yieldToEventLoop(call)
        call?.signal.throwIfAborted()
        yield items.slice(start, start + batchSize)
      }
    },
    async page(model, plan, call) {
      return {
        entries: await select(model, plan, call),
        async *items(entries) {
          if (entries.length > 0)
            yield (entries as readonly PositionedItem[]).map(({ item }) => item)
        },
      }
    },
    async count(model, condition, call) {
      return (await select(model, { ...allItemsPlan, condition }, call)).length
    },
    async groups(model, plan, call) {
      const groups = itemGroups(model, plan)
      const source = relatedItems()
      const items = await select(model, { ...allItemsPlan, condition: plan.condition }, call)
      for (const { item } of items) groups.add(tableOf(model).get(item.id)!.values, source)
      return groups.result()
    },
    async *relatedPages(model, relation, owners, plan, call) {
      const slice = new TimeSlice(call)
      for (const ownerId of owners) {
        const source = relatedItems()
        const table = tableOf(relation.relatedModel)
        const related = relatedIds(model, relation, ownerId, source)
        const candidates = related.flatMap((id) => table.get(id) ?? [])
        const page = await executePlan(relation.relatedModel, plan, candidates, source, slice)
        if (page.length > 0) yield page.map(({ item, position }) => ({ ownerId, item, position }))
      }
    },
  }
}

function relatedIds(
  model: ModelDescription,
  relation: ManyRelation,
  ownerId: string,
  source: ItemSource,
): readonly string[] {
  if (relation.kind === 'inverse')
    return source.itemsReferencing(relation, ownerId).map(({ id }) => id)
  return [...new Set((source.get(model, ownerId)?.[relation.name] ?? []) as readonly string[])]
}
