import { compareScalars } from '../../query/compare.ts'
import { toInstantKey } from '../../query/instant.ts'
import type { Scalar } from '../../query/query-plan.ts'
import type { ItemCheck } from '../declare/model.ts'
import type { IndexDescription, ModelDescription, ValueField } from '../model-description.ts'

/** What the bounds of a range are; undefined for values that have no ranges. */
export type BoundKind = 'number' | 'date' | 'date-time'

export function boundKind({ type }: ValueField): BoundKind | undefined {
  if (type.kind === 'number' || type.kind === 'integer') return 'number'
  if (type.kind !== 'text') return undefined
  return type.format === 'date' || type.format === 'date-time' ? type.format : undefined
}

/** The indexes of a model, with those that find the items whose ranges may overlap. */
export function withIndexesOfRanges({
  indexes,
  uniqueRanges,
}: ModelDescription): readonly IndexDescription[] {
  const added = uniqueRanges.map(
    ({ fields, from }): IndexDescription => ({
      keys: [...fields, from].map((field) => ({ field, direction: 'asc' })),
    }),
  )
  const isNew = (index: IndexDescription, position: number) =>
    [...indexes, ...added.slice(0, position)].every((other) => !areEqual(other, index))
  return Object.freeze([...indexes, ...added.filter(isNew)])
}

function areEqual(one: IndexDescription, other: IndexDescription): boolean {
  return (
    one.keys.length === other.keys.length &&
    one.keys.every(
      ({ field, direction }, index) =>
        field === other.keys[index]!.field && direction === other.keys[index]!.direction,
    )
  )
}

/** The check of an item, with that of the order of its bounds. */
export function withRangeCheck({ check, uniqueRanges }: ModelDescription): ItemCheck | undefined {
  if (uniqueRanges.length === 0) return check
  return (item, issue) => {
    for (const { from, to } of uniqueRanges)
      if (!isInOrder(from, item[from.name], item[to.name]))
        issue(to.name, `must be after '${from.wireName}'`)
    check?.(item, issue)
  }
}

function isInOrder(field: ValueField, from: unknown, to: unknown): boolean {
  const bounds = [from, to].map((value) => boundKey(field, value))
  return bounds.includes(null) || compareScalars(bounds[0]!, bounds[1]!) < 0
}

/** Of a value as code sees it. */
function boundKey(field: ValueField, value: unknown): Scalar {
  if (value === null || value === undefined) return null
  const stored = (field.codec ? field.codec.encode(value) : value) as Scalar
  return typeof stored === 'string' && boundKind(field) === 'date-time'
    ? toInstantKey(stored)
    : stored
}
