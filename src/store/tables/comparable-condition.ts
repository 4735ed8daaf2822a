import type { ModelDescription, ValueField } from '../../model/model-description.ts'
import { comparedAs } from '../../model/value-type.ts'
import type { GroupPlan } from '../../query/group-plan.ts'
import { toInstantKey } from '../../query/instant.ts'
import type {
  Condition,
  FieldPath,
  PathCondition,
  QueryPlan,
  Scalar,
} from '../../query/query-plan.ts'
import { mapSortPaths } from '../../query/sort-keys.ts'
import { type PathLeaf, relatedModelAt, resolvePath } from '../resolve-path.ts'
import type { ColumnCodec, ColumnCodecs } from './column-type.ts'

/** How texts of a query compare with columns and with values in JSON. */
export interface ComparableCodecs {
  readonly values: ColumnCodecs
  ofId(model: ModelDescription): Pick<ColumnCodec, 'canonical'>
  ofField(model: ModelDescription, field: ValueField): Pick<ColumnCodec, 'canonical'>
}

/**
 * The same condition with texts in the form of their columns. Engines refuse a text that is no date
 * where a column holds dates; what such a text means is known before.
 */
export function comparableCondition(
  codecs: ComparableCodecs,
  model: ModelDescription,
  condition: Condition,
): Condition {
  const convert = (operand: Condition) => comparableCondition(codecs, model, operand)
  switch (condition.kind) {
    case 'always':
    case 'never':
      return condition
    case 'and':
    case 'or':
      return { ...condition, conditions: condition.conditions.map(convert) }
    case 'not':
      return { ...condition, condition: convert(condition.condition) }
    case 'compare': {
      const path = comparablePath(codecs, model, condition.path)
      const { value } = condition
      if (typeof value !== 'string') return { ...condition, path }
      return compareText(codecOf(codecs, model, path), { ...condition, path, value })
    }
    case 'oneOf': {
      const path = comparablePath(codecs, model, condition.path)
      const codec = codecOf(codecs, model, path)
      return { ...condition, path, values: condition.values.flatMap(valuesIn(codec)) }
    }
    case 'text': {
      const path = comparablePath(codecs, model, condition.path)
      return codecs.values.text.canonical(condition.value) === undefined
        ? { kind: 'never' }
        : { ...condition, path }
    }
    case 'search':
      return {
        ...condition,
        fields: condition.fields.map((field) => ({
          ...field,
          path: comparablePath(codecs, model, field.path),
        })),
      }
    case 'members': {
      const path = comparablePath(codecs, model, condition.path)
      const codec = codecOf(codecs, model, path)
      const values = condition.values.flatMap(valuesIn(codec))
      const isIncomplete = values.length < condition.values.length
      if (isIncomplete && condition.quantity === 'all') return { kind: 'never' }
      return { ...condition, path, values }
    }
    case 'some': {
      const relatedModel = relatedModelAt(model, condition.path)
      return {
        kind: 'some',
        path: comparablePath(codecs, model, condition.path),
        condition: comparableCondition(codecs, relatedModel, condition.condition),
      }
    }
  }
}

export function comparablePlan(
  codecs: ComparableCodecs,
  model: ModelDescription,
  plan: QueryPlan,
): QueryPlan {
  return {
    ...plan,
    condition: comparableCondition(codecs, model, plan.condition),
    sort: plan.sort.map((key) => mapSortPaths(key, (path) => comparablePath(codecs, model, path))),
  }
}

export function comparableGroups(
  codecs: ComparableCodecs,
  model: ModelDescription,
  plan: GroupPlan,
): GroupPlan {
  return {
    ...plan,
    condition: comparableCondition(codecs, model, plan.condition),
    by: plan.by.map((key) => ({ ...key, path: comparablePath(codecs, model, key.path) })),
    aggregates: plan.aggregates.map((term) => ({
      ...term,
      path: comparablePath(codecs, model, term.path),
    })),
  }
}

function comparablePath(
  codecs: ComparableCodecs,
  model: ModelDescription,
  path: FieldPath,
): FieldPath {
  if (!path.guards?.length) return path
  const { hops, leaf } = resolvePath(model, path)
  const guards = path.guards.map((guard): PathCondition => {
    const hop = hops[guard.depth - 1]
    const guarded = guard.depth === 0 ? model : (hop?.field.relatedModel ?? relatedModelOf(leaf))
    return guarded
      ? { ...guard, condition: comparableCondition(codecs, guarded, guard.condition) }
      : guard
  })
  return { ...path, guards }
}

function relatedModelOf(leaf: PathLeaf): ModelDescription | undefined {
  return leaf.kind === 'id' || leaf.kind === 'value' ? undefined : leaf.field.relatedModel
}

/** The codec of what the path leads to, or of the members of an array. */
function codecOf(
  codecs: ComparableCodecs,
  model: ModelDescription,
  path: FieldPath,
): Pick<ColumnCodec, 'canonical'> {
  const { leaf, model: leafModel } = resolvePath(model, path)
  if (leaf.kind === 'id') return codecs.ofId(leafModel)
  if (leaf.kind !== 'value') return codecs.ofId(leaf.field.relatedModel)
  const isColumn = leaf.memberPath.length === 0 && leaf.type.kind === 'text'
  if (isColumn) return codecs.ofField(leafModel, leaf.field)
  const type = leaf.type.kind === 'array' ? leaf.type.items : leaf.type
  return codecs.values[comparedAs(type) ?? 'text']
}

function valuesIn(codec: Pick<ColumnCodec, 'canonical'>): (value: Scalar) => readonly Scalar[] {
  return (value) => {
    const comparable = typeof value === 'string' ? codec.canonical(value) : value
    return comparable === undefined ? [] : [comparable]
  }
}

type Compare = Extract<Condition, { kind: 'compare' }>

function compareText(
  codec: Pick<ColumnCodec, 'canonical'>,
  condition: Compare & { readonly value: string },
): Condition {
  const { value, operator, path } = condition
  const canonical = codec.canonical(value)
  if (canonical !== undefined) return { ...condition, value: canonical }
  switch (operator) {
    case 'equal':
      return { kind: 'never' }
    case 'notEqual':
      return { kind: 'always' }
    case 'lessThan':
    case 'lessThanOrEqual':
      return compareWithNext(codec, path, value, 'lessThan')
    case 'greaterThan':
    case 'greaterThanOrEqual':
      return compareWithNext(codec, path, value, 'greaterThanOrEqual')
  }
}

/**
 * Compares with the least value of the column that is greater than the text: `2024` stands in front
 * of `2024-01-01`. Any other text is before all values, or after all of them.
 */
function compareWithNext(
  codec: Pick<ColumnCodec, 'canonical'>,
  path: FieldPath,
  text: string,
  operator: 'lessThan' | 'greaterThanOrEqual',
): Condition {
  const prefix = codec.canonical(text.slice(0, Math.max(0, text.search(unstorable))))
  if (unstorable.test(text) && prefix !== undefined) {
    const isLess = operator === 'lessThan'
    return {
      kind: 'compare',
      path,
      operator: isLess ? 'lessThanOrEqual' : 'greaterThan',
      value: prefix,
    }
  }
  const completed = text + firstInstant.slice(text.length)
  const candidates = [completed, completed.slice(0, 'YYYY-MM-DD'.length)]
  const next = candidates.map((candidate) => codec.canonical(candidate)).find(Boolean)
  if (next !== undefined) return { kind: 'compare', path, operator, value: next }
  const isNull: Condition = { kind: 'compare', path, operator: 'equal', value: null }
  // No column holds the year 0.
  const isBeforeAll = toInstantKey(text) < '0001'
  if (operator === 'lessThan') return isBeforeAll ? isNull : { kind: 'always' }
  return isBeforeAll ? { kind: 'not', condition: isNull } : { kind: 'never' }
}

/** Characters that some engines cannot keep in a text. */
export const unstorable: RegExp = /\0|\p{Surrogate}/u

const firstInstant = '0000-01-01T00:00:00Z'
