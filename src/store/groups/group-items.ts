import type { ModelDescription } from '../../model/model-description.ts'
import { plainText, type ScalarType } from '../../model/value-type.ts'
import { compareScalars } from '../../query/compare.ts'
import type {
  AggregateResult,
  AggregateTerm,
  GroupKey,
  GroupPlan,
  ItemGroup,
} from '../../query/group-plan.ts'
import type { Scalar } from '../../query/query-plan.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import {
  comparisonKey,
  type ItemReader,
  membersReader,
  scalarReader,
} from '../evaluation/evaluate.ts'
import type { ItemSource } from '../evaluation/item-source.ts'
import { canonicalValue } from './canonical-value.ts'
import { datePart } from './date-part.ts'
import { ExactSum } from './exact-sum.ts'
import { groupedLeaf } from './grouped-leaf.ts'

/**
 * Groups items in memory, as every store has to. The caller adds the items that satisfy the
 * condition of the plan.
 *
 * ```ts
 * const groups = itemGroups(book, groupPlan)
 * groups.add(readStoredValues(book, item), source)
 * const rows = groups.result()
 * ```
 */
export function itemGroups(model: ModelDescription, plan: GroupPlan): ItemGroups {
  return new ItemGroups(model, plan)
}

interface Group {
  /** In the form in which values compare. */
  readonly keys: readonly Scalar[]
  count: number
  readonly totals: readonly Total[]
}

interface Total {
  add(value: Scalar): void
  result(): AggregateResult
}

interface Value<T> {
  readonly type: ScalarType
  readonly read: ItemReader<T>
}

export class ItemGroups {
  readonly #plan: GroupPlan
  readonly #keys: readonly Value<readonly Scalar[]>[]
  readonly #values: readonly Value<Scalar>[]
  readonly #groups = new Map<string, Group>()

  constructor(model: ModelDescription, plan: GroupPlan) {
    this.#plan = plan
    this.#keys = plan.by.map((key) => keyReader(model, key))
    this.#values = plan.aggregates.map(({ path }) => ({
      type: groupedLeaf(model, path).type,
      read: scalarReader(model, path),
    }))
    if (plan.by.length === 0) this.#groupOf([])
  }

  add(item: StoredValues, source: ItemSource): void {
    const values = this.#values.map(({ read }) => read(item, source))
    for (const keys of combinations(this.#keys.map(({ read }) => read(item, source)))) {
      const group = this.#groupOf(keys)
      group.count++
      for (const [index, total] of group.totals.entries()) total.add(values[index]!)
    }
  }

  result(): readonly ItemGroup[] {
    const { order, limit } = this.#plan
    const byKeys = (one: Group, other: Group): number => {
      for (const [index, key] of one.keys.entries()) {
        const compared = compareScalars(key, other.keys[index]!)
        if (compared !== 0) return compared
      }
      return 0
    }
    const compare =
      order === 'keys'
        ? byKeys
        : (one: Group, other: Group) => other.count - one.count || byKeys(one, other)
    return [...this.#groups.values()]
      .sort(compare)
      .slice(0, limit)
      .map(({ keys, count, totals }) => ({
        keys: keys.map((key, index) => canonicalValue(this.#keys[index]!.type, key)),
        count,
        results: totals.map((total) => total.result()),
      }))
  }

  #groupOf(keys: readonly Scalar[]): Group {
    const name = JSON.stringify(keys)
    let group = this.#groups.get(name)
    if (!group) {
      const { aggregates } = this.#plan
      const totals = aggregates.map((term, index) => totalOf(term, this.#values[index]!.type))
      group = { keys, count: 0, totals }
      this.#groups.set(name, group)
    }
    return group
  }
}

/** Reads the values of a key: several of a list, null for none. */
function keyReader(model: ModelDescription, key: GroupKey): Value<readonly Scalar[]> {
  const { path, part, timeZone } = key
  const { isMany, type } = groupedLeaf(model, path)
  if (isMany) {
    const read = membersReader(model, path)
    return {
      type,
      read: (item, source) => {
        const members = new Set(read(item, source).map((member) => comparisonKey(type, member)))
        return members.size === 0 ? [null] : [...members]
      },
    }
  }
  const read = scalarReader(model, path)
  if (!part) return { type, read: (item, source) => [read(item, source)] }
  return {
    type: plainText,
    read: (item, source) => {
      const value = read(item, source)
      return [typeof value === 'string' ? datePart(value, part, timeZone) : null]
    },
  }
}

function* combinations(lists: readonly (readonly Scalar[])[]): Generator<readonly Scalar[]> {
  const [first, ...others] = lists
  if (!first) {
    yield []
    return
  }
  for (const value of first) for (const rest of combinations(others)) yield [value, ...rest]
}

function totalOf({ function: name }: AggregateTerm, type: ScalarType): Total {
  switch (name) {
    case 'sum': {
      const sum = new ExactSum()
      return {
        add: (value) => sum.add(canonicalValue(type, value)),
        result: () => ({ function: name, ...sum.result() }),
      }
    }
    case 'countDistinct': {
      const values = new Set<Scalar>()
      return {
        add: (value) => {
          if (value !== null) values.add(value)
        },
        result: () => ({ function: name, count: values.size }),
      }
    }
    default: {
      const sign = name === 'min' ? 1 : -1
      let best: Scalar = null
      return {
        add: (value) => {
          if (value !== null && (best === null || sign * compareScalars(value, best) < 0))
            best = value
        },
        result: () => ({ function: name, value: canonicalValue(type, best) }),
      }
    }
  }
}
