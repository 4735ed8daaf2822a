import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import type {
  FieldDescription,
  HashField,
  RelationField,
  ValueField,
} from '../../model/model-description.ts'
import { isFilterable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import { isRelation } from '../../model/relation-kinds.ts'
import type { ResourceField } from '../../model/resource-field.ts'
import type { ValueType } from '../../model/value-type.ts'
import type { RouterLimits } from '../router-limits.ts'

/** The field that a dotted name leads to. */
export type FieldReference =
  | { readonly kind: 'id' }
  | { readonly kind: 'value'; readonly field: ValueField; readonly type: ValueType }
  | { readonly kind: 'relation'; readonly field: RelationField }
  /** Cannot be filtered or sorted by. */
  | { readonly kind: 'other'; readonly field: HashField | ResourceField }

export type WirePath =
  | {
      readonly kind: 'resolved'
      readonly names: readonly string[]
      readonly reference: FieldReference
    }
  /** The reason has its full stop. */
  | { readonly kind: 'unresolved'; readonly reason: string }
  /** It has too many relations. */
  | { readonly kind: 'tooLong' }

interface WirePathOptions {
  readonly relationDepth: number
  /** The fields that a path may lead to; the names of others are not suggested. */
  readonly isUsable: (reference: FieldReference) => boolean
  /** Names of no fields, which a list may be sorted by too. Default: none. */
  readonly otherNames?: OtherNames | undefined
}

/** Names that are suggested where one was probably meant. */
interface OtherNames {
  readonly names: readonly string[]
  /** Can this request have them? If not, no message lists them. */
  readonly areUsable: boolean
}

/**
 * Resolves a dotted name of wire names (`author.name`, `dimensions.width`). The message for a
 * hidden field is the same as for one that does not exist.
 */
export function resolveWirePath(
  views: ModelViews,
  start: ModelView,
  dotted: string,
  { relationDepth, isUsable, otherNames }: WirePathOptions,
): WirePath {
  const wires = dotted.split('.')
  const names: string[] = []
  let view = start
  for (const [index, wire] of wires.entries()) {
    const rest = wires.slice(index + 1)
    if (wire === 'id')
      return rest.length === 0
        ? resolvedPath([...names, 'id'], { kind: 'id' })
        : unresolvedPath(`an id has no member '${truncate(rest[0]!)}'.`)
    const field = view.model.fieldsByWireName.get(wire)
    if (!field || !isFilterable(view, field))
      return unknownField(
        view,
        wire,
        usableNames(view, isUsable),
        wires.length === 1 ? otherNames : undefined,
      )
    names.push(field.name)
    if (field.kind === 'value') return resolveValuePath(field, names, rest)
    if (rest.length === 0)
      return resolvedPath(
        names,
        isRelation(field) ? { kind: 'relation', field } : { kind: 'other', field },
      )
    if (field.kind !== 'toOne')
      return unresolvedPath(`'${wire}' is not a to-one relation, so no field can follow it.`)
    if (index + 1 > relationDepth) return { kind: 'tooLong' }
    view = views.of(field.relatedModel)
  }
  return unresolvedPath('it is empty.')
}

function resolveValuePath(
  field: ValueField,
  names: readonly string[],
  rest: readonly string[],
): WirePath {
  let type = field.type
  for (const [index, member] of rest.entries()) {
    if (type.kind === 'array' || type.kind === 'opaque') {
      const owner = [field.wireName, ...rest.slice(0, index)].join('.')
      return unresolvedPath(
        type.kind === 'array'
          ? `'${owner}' is an array, and no path leads into its items.`
          : `'${owner}' has no fixed type, and no path leads into it.`,
      )
    }
    if (type.kind !== 'struct')
      return unresolvedPath(`'${field.wireName}' has no member '${truncate(member)}'.`)
    const structMember = type.members.get(member)
    if (!structMember)
      return unresolvedPath(
        unknownName(`'${field.wireName}' has no member '${truncate(member)}'`, member, [
          ...type.members.keys(),
        ]),
      )
    type = structMember.type
  }
  return resolvedPath([...names, ...rest], { kind: 'value', field, type })
}

function unknownField(
  view: ModelView,
  wire: string,
  names: readonly string[],
  others: OtherNames | undefined,
): WirePath {
  if (view.addedMembers.has(wire))
    return unresolvedPath(`'${truncate(wire)}' is computed for responses, not stored.`)
  const statement = `'${view.model.name}' has no field '${truncate(wire)}'`
  return unresolvedPath(
    others?.areUsable
      ? unknownName(statement, wire, [...names, ...others.names])
      : unknownName(statement, wire, names, { unlisted: others?.names }),
  )
}

/** The names that a path can begin with: fields that it may lead to, and to-one relations. */
function usableNames(view: ModelView, isUsable: WirePathOptions['isUsable']): readonly string[] {
  const names = view.model.fields
    .filter((field) => isFilterable(view, field))
    .filter((field) => field.kind === 'toOne' || canLeadTo(field, isUsable))
    .map((field) => field.wireName)
  return isUsable({ kind: 'id' }) ? ['id', ...names] : names
}

function canLeadTo(field: FieldDescription, isUsable: WirePathOptions['isUsable']): boolean {
  if (isRelation(field)) return isUsable({ kind: 'relation', field })
  if (field.kind !== 'value') return isUsable({ kind: 'other', field })
  const members = field.type.kind === 'struct' ? [...field.type.members.values()] : []
  return [field.type, ...members.map(({ type }) => type)].some((type) =>
    isUsable({ kind: 'value', field, type }),
  )
}

function resolvedPath(names: readonly string[], reference: FieldReference): WirePath {
  return { kind: 'resolved', names, reference }
}

function unresolvedPath(reason: string): WirePath {
  return { kind: 'unresolved', reason }
}

export function pathTooLong(
  path: string,
  source: Problem['source'],
  { maxRelationDepth }: Pick<RouterLimits, 'maxRelationDepth'>,
): Problem {
  const detail = `'${truncate(path)}' must have at most ${maxRelationDepth} relations.`
  return problem('limit-exceeded', detail, source, { limit: maxRelationDepth })
}
