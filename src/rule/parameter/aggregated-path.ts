import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import { isRelation } from '../../model/model-description.ts'
import { isReadable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import { isScalar, type ScalarType } from '../../model/value-type.ts'
import type { FieldPath } from '../../query/query-plan.ts'
import type { RouterLimits } from '../router-limits.ts'
import { type FieldReference, pathTooLong, resolveWirePath } from './resolve-wire-path.ts'

/** A member that is declared for sums and groups. */
export interface AggregatedPath {
  readonly path: FieldPath
  readonly type: ScalarType
  /** Does it lead to an array or to a to-many relation? */
  readonly isMany: boolean
  readonly isRelation: boolean
}

/**
 * Resolves the name of a member that clients may add up or group by. The answer for a member that
 * is hidden is the same as for one that does not exist.
 * @param action what the request does with the member: `sum`, `count the values of`
 */
export function readAggregatedPath(
  views: ModelViews,
  view: ModelView,
  name: string,
  limits: Pick<RouterLimits, 'maxRelationDepth'>,
  parameter: string,
  action: string,
): AggregatedPath | Problem {
  const source = { parameter }
  const cannot = `Cannot ${action} '${truncate(name)}'`
  const resolved = resolveWirePath(views, view, name, {
    relationDepth: limits.maxRelationDepth,
    isUsable: (reference) => isDeclared(view, reference),
  })
  if (resolved.kind === 'tooLong') return pathTooLong(name, source, limits)
  if (resolved.kind === 'unresolved')
    return problem('unknown-field', `${cannot}: ${resolved.reason}`, source)
  const { names, reference } = resolved
  const unread = firstUnreadable(views, view, names)
  if (unread)
    return problem(
      'unknown-field',
      unknownName(
        `${cannot}: '${unread.view.model.name}' has no field '${truncate(unread.wireName)}'`,
        unread.wireName,
        declaredNames(view),
      ),
      source,
    )
  if (!names.some((_, index) => view.model.aggregated.has(names.slice(0, index + 1).join('.'))))
    return problem(
      'invalid-aggregate',
      unknownName(`${cannot}: the model does not declare it`, '', declaredNames(view)),
      source,
    )
  const leaf = leafOf(names, reference)
  if (!leaf)
    return problem(
      'invalid-aggregate',
      `${cannot}; expected a text, a number, a boolean, an array of these, or a relation.`,
      source,
    )
  const [first = ''] = names
  if (leaf.isMany && names.length > 1 && isRelation(view.model.fieldsByName.get(first)!))
    return problem('invalid-aggregate', `${cannot}: it is a list of a related item.`, source)
  return leaf
}

/** The names of declared members that callers can read. */
export function declaredNames(view: ModelView): readonly string[] {
  const { aggregated, fieldsByName } = view.model
  return [...aggregated].flatMap((dotted) => {
    const [first = '', ...rest] = dotted.split('.')
    const field = fieldsByName.get(first)
    return field && isReadable(view, field) ? [[field.wireName, ...rest].join('.')] : []
  })
}

function isDeclared({ model: { aggregated } }: ModelView, reference: FieldReference): boolean {
  if (reference.kind === 'id') return false
  const { name } = reference.field
  return [...aggregated].some((dotted) => dotted === name || dotted.startsWith(`${name}.`))
}

/** Members that clients can filter by are not always readable: mappers may hide them. */
function firstUnreadable(
  views: ModelViews,
  start: ModelView,
  names: readonly string[],
): { readonly view: ModelView; readonly wireName: string } | undefined {
  let view = start
  for (const name of names) {
    const field = view.model.fieldsByName.get(name)
    if (!field) return undefined
    if (!isReadable(view, field)) return { view, wireName: field.wireName }
    if (!isRelation(field)) return undefined
    view = views.of(field.relatedModel)
  }
  return undefined
}

const idType: ScalarType = Object.freeze({ kind: 'text', format: undefined })

function leafOf(names: readonly string[], reference: FieldReference): AggregatedPath | undefined {
  const path: FieldPath = { names }
  switch (reference.kind) {
    case 'id':
      return { path, type: idType, isMany: false, isRelation: true }
    case 'relation':
      return {
        path,
        type: idType,
        isMany: reference.field.kind !== 'toOne',
        isRelation: true,
      }
    case 'value': {
      const { type, field } = reference
      if (!field.isFilterable) return undefined
      if (isScalar(type)) return { path, type, isMany: false, isRelation: false }
      if (type.kind === 'array' && isScalar(type.items))
        return { path, type: type.items, isMany: true, isRelation: false }
      return undefined
    }
    case 'other':
      return undefined
  }
}
