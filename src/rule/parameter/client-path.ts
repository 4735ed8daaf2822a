import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import type { HashField, RelationField, ResourceField, ValueField } from '../../model/description.ts'
import { isRelation } from '../../model/is-relation.ts'
import { filterableNames, isFilterable, type ModelView, type Views } from '../../model/model-view.ts'
import type { ValueType } from '../../model/value-type.ts'
import type { Limits } from '../limits.ts'

/** What a dotted name of a client leads to. */
export type ClientEnd =
  | { readonly kind: 'id' }
  | { readonly kind: 'value'; readonly field: ValueField; readonly type: ValueType }
  | { readonly kind: 'relation'; readonly field: RelationField }
  /** Told, but neither filtered nor sorted by. */
  | { readonly kind: 'other'; readonly field: HashField | ResourceField }

export type ClientPath =
  | { readonly kind: 'found'; readonly names: readonly string[]; readonly end: ClientEnd }
  | { readonly kind: 'lost'; readonly because: string }
  /** It passes through more relations than it may. */
  | { readonly kind: 'tooLong' }

/**
 * Follows a dotted name of wire names (`author.name`, `dimensions.width`) from a model. A hidden field is lost in the same words
 * as one that does not exist.
 */
export function followPath(views: Views, start: ModelView, dotted: string, relationDepth: number): ClientPath {
  const wires = dotted.split('.')
  const names: string[] = []
  let view = start
  for (const [index, wire] of wires.entries()) {
    const rest = wires.slice(index + 1)
    if (wire === 'id')
      return rest.length === 0 ? found([...names, 'id'], { kind: 'id' }) : lost(`an id has no member '${rest[0]}'`)
    const field = view.model.byWire.get(wire)
    if (!field || !isFilterable(view, field)) return unknownField(view, wire)
    names.push(field.name)
    if (field.kind === 'value') return followValue(field, names, rest)
    if (rest.length === 0)
      return found(names, isRelation(field) ? { kind: 'relation', field } : { kind: 'other', field })
    if (field.kind !== 'toOne') return lost(`'${wire}' cannot be passed through; only relations to one item can`)
    if (index + 1 > relationDepth) return { kind: 'tooLong' }
    view = views.of(field.target)
  }
  return lost('it is empty')
}

function followValue(field: ValueField, names: readonly string[], rest: readonly string[]): ClientPath {
  let type = field.type
  for (const member of rest) {
    if (type.kind !== 'struct') return lost(`'${field.wire}' has no member '${member}'`)
    const found = type.members.get(member)
    if (!found) return lost(`'${field.wire}' has no member '${member}'; it has ${listed([...type.members.keys()])}`)
    type = found.type
  }
  return found([...names, ...rest], { kind: 'value', field, type })
}

function unknownField(view: ModelView, wire: string): ClientPath {
  if (view.adds.has(wire)) return lost(`'${shortened(wire)}' is made when an item is sent, not stored`)
  return lost(`'${view.model.name}' has no field '${shortened(wire)}'; it has ${listed(filterableNames(view))}`)
}

function found(names: readonly string[], end: ClientEnd): ClientPath {
  return { kind: 'found', names, end }
}

function lost(because: string): ClientPath {
  return { kind: 'lost', because }
}

/** The fault of a path that passes through more relations than it may. */
export function tooLong(
  path: string,
  source: Problem['source'],
  { relationDepth }: Pick<Limits, 'relationDepth'>,
): Problem {
  const detail = `'${shortened(path)}' passes through more than ${relationDepth} relations.`
  return problem('limit-exceeded', detail, source, { limit: relationDepth })
}

export function listed(names: readonly string[]): string {
  return names.join(', ')
}
