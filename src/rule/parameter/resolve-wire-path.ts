import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import {
  type HashField,
  isRelation,
  type RelationField,
  type ResourceField,
  type ValueField,
} from '../../model/model-description.ts'
import {
  filterableNames,
  isFilterable,
  type ModelView,
  type ModelViews,
} from '../../model/model-view.ts'
import type { ValueType } from '../../model/value-type.ts'
import type { RouterLimits } from '../router-limits.ts'

/** What a dotted name of a client leads to. */
export type FieldReference =
  | { readonly kind: 'id' }
  | { readonly kind: 'value'; readonly field: ValueField; readonly type: ValueType }
  | { readonly kind: 'relation'; readonly field: RelationField }
  /** Told, but neither filtered nor sorted by. */
  | { readonly kind: 'other'; readonly field: HashField | ResourceField }

export type WirePath =
  | {
      readonly kind: 'found'
      readonly names: readonly string[]
      readonly reference: FieldReference
    }
  | { readonly kind: 'lost'; readonly reason: string }
  /** It passes through more relations than it may. */
  | { readonly kind: 'tooLong' }

/**
 * Follows a dotted name of wire names (`author.name`, `dimensions.width`) from a model. A hidden
 * field is lost in the same words as one that does not exist.
 */
export function resolveWirePath(
  views: ModelViews,
  start: ModelView,
  dotted: string,
  relationDepth: number,
): WirePath {
  const wires = dotted.split('.')
  const names: string[] = []
  let view = start
  for (const [index, wire] of wires.entries()) {
    const rest = wires.slice(index + 1)
    if (wire === 'id')
      return rest.length === 0
        ? resolvedPath([...names, 'id'], { kind: 'id' })
        : unresolvedPath(`an id has no member '${rest[0]}'`)
    const field = view.model.fieldsByWireName.get(wire)
    if (!field || !isFilterable(view, field)) return unknownField(view, wire)
    names.push(field.name)
    if (field.kind === 'value') return resolveValuePath(field, names, rest)
    if (rest.length === 0)
      return resolvedPath(
        names,
        isRelation(field) ? { kind: 'relation', field } : { kind: 'other', field },
      )
    if (field.kind !== 'toOne')
      return unresolvedPath(`'${wire}' cannot be passed through; only relations to one item can`)
    if (index + 1 > relationDepth) return { kind: 'tooLong' }
    view = views.of(field.relatedModel)
  }
  return unresolvedPath('it is empty')
}

function resolveValuePath(
  field: ValueField,
  names: readonly string[],
  rest: readonly string[],
): WirePath {
  let type = field.type
  for (const member of rest) {
    if (type.kind !== 'struct')
      return unresolvedPath(`'${field.wireName}' has no member '${member}'`)
    const found = type.members.get(member)
    if (!found)
      return unresolvedPath(
        `'${field.wireName}' has no member '${member}'; it has ${joinNames([...type.members.keys()])}`,
      )
    type = found.type
  }
  return resolvedPath([...names, ...rest], { kind: 'value', field, type })
}

function unknownField(view: ModelView, wire: string): WirePath {
  if (view.addedMembers.has(wire))
    return unresolvedPath(`'${truncate(wire)}' is made when an item is sent, not stored`)
  return unresolvedPath(
    `'${view.model.name}' has no field '${truncate(wire)}'; it has ${joinNames(filterableNames(view))}`,
  )
}

function resolvedPath(names: readonly string[], end: FieldReference): WirePath {
  return { kind: 'found', names, reference: end }
}

function unresolvedPath(because: string): WirePath {
  return { kind: 'lost', reason: because }
}

/** The fault of a path that passes through more relations than it may. */
export function pathTooLong(
  path: string,
  source: Problem['source'],
  { maxRelationDepth }: Pick<RouterLimits, 'maxRelationDepth'>,
): Problem {
  const detail = `'${truncate(path)}' passes through more than ${maxRelationDepth} relations.`
  return problem('limit-exceeded', detail, source, { limit: maxRelationDepth })
}

export function joinNames(names: readonly string[]): string {
  return names.join(', ')
}
