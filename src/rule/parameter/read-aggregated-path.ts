import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import { isReadable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import type { RouterLimits } from '../router-limits.ts'
import { type AggregatedPath, aggregatedPath } from './aggregated-path.ts'
import { declaredNames, isRelatedList } from './declared-paths.ts'
import { pathTooLong, resolveWirePath } from './resolve-wire-path.ts'

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
  if (name === '')
    return problem(
      'unknown-field',
      unknownName(`${cannot}: the name is empty`, '', declaredNames(views, view, limits)),
      source,
    )
  const unknown = firstUnknown(views, view, name, limits)
  if (unknown)
    return problem(
      'unknown-field',
      unknownName(
        `${cannot}: '${unknown.view.model.name}' has no field '${truncate(unknown.wire)}'`,
        name,
        [...declaredNames(views, view, limits), ...namesBelow(view, unknown)],
      ),
      source,
    )
  const resolved = resolveWirePath(views, view, name, {
    relationDepth: limits.maxRelationDepth,
    // Names are suggested above.
    isUsable: () => false,
  })
  if (resolved.kind === 'tooLong') return pathTooLong(name, source, limits)
  if (resolved.kind === 'unresolved')
    return problem('unknown-field', `${cannot}: ${resolved.reason}`, source)
  const { names, reference } = resolved
  if (!isDeclared(view, names))
    return problem(
      'invalid-aggregate',
      unknownName(
        `${cannot}: the model does not list it in 'aggregate'`,
        '',
        declaredNames(views, view, limits),
      ),
      source,
    )
  const path = aggregatedPath(names, reference)
  if (!path)
    return problem(
      'invalid-aggregate',
      `${cannot}; expected a text, a number, a boolean, an array of these, or a relation.`,
      source,
    )
  if (isRelatedList(path, view))
    return problem('invalid-aggregate', `${cannot}: it is a list of a related item.`, source)
  return path
}

/** Is it declared, or below a relation or an object that is? */
function isDeclared({ model: { aggregated } }: ModelView, names: readonly string[]): boolean {
  return names.some((_, index) => aggregated.has(names.slice(0, index + 1).join('.')))
}

interface UnknownMember {
  readonly view: ModelView
  readonly wire: string
  /** The relations that lead to its model, by name and by wire name. */
  readonly names: readonly string[]
  readonly wires: readonly string[]
}

/** Members that clients can filter by are not always readable: mappers may hide them. */
function firstUnknown(
  views: ModelViews,
  start: ModelView,
  dotted: string,
  { maxRelationDepth }: Pick<RouterLimits, 'maxRelationDepth'>,
): UnknownMember | undefined {
  let view = start
  const names: string[] = []
  const parts = dotted.split('.')
  for (const [index, wire] of parts.slice(0, maxRelationDepth + 1).entries()) {
    if (wire === 'id' || view.addedMembers.has(wire)) return undefined
    const field = view.model.fieldsByWireName.get(wire)
    if (!field || !isReadable(view, field))
      return { view, wire, names, wires: parts.slice(0, index) }
    if (field.kind !== 'toOne') return undefined
    names.push(field.name)
    view = views.of(field.relatedModel)
  }
  return undefined
}

/** The fields of a related item, if its relation is declared. */
function namesBelow(start: ModelView, { view, names, wires }: UnknownMember): readonly string[] {
  if (!isDeclared(start, names)) return []
  return view.model.fields
    .filter((field) => field.kind === 'toOne' || field.kind === 'value')
    .filter((field) => isReadable(view, field))
    .map((field) => [...wires, field.wireName].join('.'))
}
